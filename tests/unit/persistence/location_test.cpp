#include "persistence/sql/location.hpp"
#include "persistence/store.hpp"

#include "tests/support/database/sqlite_file.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::sql;

TEST_CASE("location: a store is shown without password and options") {
  CHECK(shown_location("sqlite:///var/lib/a b?c.db") == "/var/lib/a b?c.db");
  CHECK(shown_location("postgresql://u@h:1/n") == "postgresql://u@h:1/n");
  CHECK(shown_location("postgres://u:secret@h/n?a=b") == "postgres://u@h/n");
  CHECK(shown_location("postgresql://u:@[::1]:5/n")
        == "postgresql://u@[::1]:5/n");
  CHECK(shown_location("postgresql://[::1]:5/n") == "postgresql://[::1]:5/n");
  CHECK(shown_location("postgresql:///n?host=/run") == "postgresql:///n");
}

TEST_CASE("location: no odd password is shown, nor a part of it") {
  for (const std::string url :
       {"postgresql://u:secret/secret@h/n", "postgresql://u:secret?secret@h/n",
        "postgresql://u:secret@secret@h/n", "postgresql://u:secret:secret@h/n",
        "postgresql://h:1/n?user=u&password=secret",
        "postgresql://h:1/n?user=u&password=secret@secret", "secret"}) {
    CAPTURE(url);
    CHECK(shown_location(url).find("secret") == std::string::npos);
  }
}

TEST_CASE("location: a reason is what was said of a server, on one line") {
  CHECK(connect_reason("Cannot establish connection to the database.\n"
                       "connection to server at \"h\", port 1 failed: FATAL:  "
                       "role \"x\" does not exist\n")
        == "connection to server at \"h\", port 1 failed: FATAL:  role \"x\" "
           "does not exist");
  CHECK(connect_reason("connection to server a\nconnection to server b")
        == "connection to server a connection to server b");
  CHECK(connect_reason("invalid URI: postgresql://u:secret").empty());
  CHECK(connect_reason("connection to server " + std::string(9'000, 'x')).size()
        == 400);
}

TEST_CASE("location: who cannot open a store is told which and why") {
  const auto context = [](const std::string& url) {
    const auto opened = open_store({url}, true);
    return opened ? "opened" : opened.error().context;
  };
  CHECK(context("sqlite:///no/such/folder/weir.db")
        == "/no/such/folder/weir.db: database file: No such file or directory");
  const test::temporary_folder folder;
  const auto path = std::string{folder.path()};
  CHECK(context("sqlite://" + path)
        == path + ": database file: it is a folder");
  const auto away = context("postgresql://u:secret@127.0.0.1:1/n");
  CAPTURE(away);
  CHECK(away.starts_with("postgresql://u@127.0.0.1:1/n: open: no connection to "
                         "PostgreSQL: connection to server at \"127.0.0.1\""));
  CHECK(away.find("secret") == std::string::npos);
  CHECK(open_store_reader({"sqlite:///no/such/folder/weir.db"})
          .error()
          .context.starts_with("/no/such/folder/weir.db: "));
}
