#include "http/cli/export_file.hpp"
#include "http/cli/removal_commands.hpp"

#include "tests/support/test_folder.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

namespace fs = std::filesystem;

const std::string api = "/_weir/admin/v1/appservices/";
const std::string first_page
  = "{\"type\":\"owed\",\"seq\":1}\n{\"type\":\"page\",\"next\":\"owed:1\"}\n";
const std::string last_page
  = "{\"type\":\"dead_letter\",\"id\":4}\n"
    "{\"type\":\"end\",\"owed\":1,\"dead_letters\":1,\"quarantined\":0,"
    "\"mark\":\"1-2\"}\n";

/// An admin API that answers one after the other.
struct scripted {
  std::deque<expected<admin_answer>> answers;
  std::vector<std::string> asked;

  admin_call call() {
    return [this](std::string_view method,
                  std::string_view path) -> expected<admin_answer> {
      asked.push_back(std::string{method} + " " + std::string{path});
      if (answers.empty())
        return fail(ec::unavailable, "no more answers");
      auto answer = answers.front();
      answers.pop_front();
      return answer;
    };
  }
};

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

outcome remove(scripted& admin, const std::string& file, bool json = false) {
  std::ostringstream out, err;
  const auto code
    = remove_command(admin.call(), {"a b", file, "ada"}, json, out, err);
  return {code, out.str(), err.str()};
}

admin_answer removed(int rows, bool more) {
  return {200,
          "{\"rows\":" + std::to_string(rows)
            + ",\"more\":" + (more ? "true}" : "false}")};
}

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("remove: rows go page by page, and it is told how far it is") {
  scripted admin;
  admin.answers = {removed(500, true), removed(20, true), removed(0, false)};
  const auto told = remove(admin, "");
  CHECK(told.code == exit_ok);
  CHECK(told.out == "removed, 520 rows\n");
  CHECK(told.err == "500 rows deleted, going on\n520 rows deleted, going on\n");
  CHECK(admin.asked
        == std::vector(3, "POST " + api + "a%20b/remove?by=ada&mark="));
}

TEST_CASE("remove: an export is whole and on disk before anything is deleted") {
  test_folder folder;
  const auto file = folder.path() + "/gone.ndjson";
  scripted admin;
  admin.answers = {admin_answer{200, first_page}, admin_answer{200, last_page},
                   removed(2, false)};
  const auto told = remove(admin, file, true);
  CHECK(told.code == exit_ok);
  CHECK(told.out == "{\"appservice\":\"a b\",\"exported\":2,\"rows\":2}\n");
  CHECK(content_of(file) == first_page + last_page);
  CHECK((fs::status(file).permissions() & fs::perms::mask)
        == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(admin.asked
        == std::vector{"GET " + api + "a%20b/export?after=",
                       "GET " + api + "a%20b/export?after=owed%3A1",
                       "POST " + api + "a%20b/remove?by=ada&mark=1-2"});
}

TEST_CASE("remove: an export that is not whole deletes nothing and leaves no "
          "file") {
  test_folder folder;
  const auto file = folder.path() + "/gone.ndjson";
  scripted admin;
  SUBCASE("an element is missing") {
    admin.answers = {admin_answer{200, last_page}};
  }
  SUBCASE("the listener ends") {
    admin.answers = {admin_answer{200, first_page}};
  }
  SUBCASE("it is refused") {
    admin.answers = {admin_answer{404, R"({"error":"Nothing is kept"})"}};
  }
  SUBCASE("it is cut") {
    admin.answers = {admin_answer{200, first_page.substr(0, 30)}};
  }
  SUBCASE("it is no export") {
    admin.answers = {admin_answer{200, "{\"type\":\"other\"}\n{}\n"}};
  }
  const auto told = remove(admin, file);
  CHECK(told.code == exit_failed);
  CHECK(!told.err.empty());
  CHECK(fs::is_empty(folder.path()));
  for (const auto& asked : admin.asked)
    CHECK(asked.starts_with("GET "));
}

TEST_CASE("remove: a file that is there is not written over") {
  test_folder folder;
  const auto file = folder.path() + "/gone.ndjson";
  std::ofstream{file} << "mine";
  scripted admin;
  const auto told = remove(admin, file);
  CHECK(told.code == exit_failed);
  CHECK(has(told.err, "there is such a file already"));
  CHECK(content_of(file) == "mine");
  CHECK(admin.asked.empty());
}

TEST_CASE("remove: what was exported stays when the removal is refused") {
  test_folder folder;
  const auto file = folder.path() + "/gone.ndjson";
  scripted admin;
  admin.answers = {
    admin_answer{200, first_page}, admin_answer{200, last_page},
    admin_answer{409, R"({"error":"it is not any more what was exported"})"}};
  const auto told = remove(admin, file);
  CHECK(told.code == exit_failed);
  CHECK(has(told.err, "409"));
  CHECK(content_of(file) == first_page + last_page);
}

TEST_CASE("export file: a disk that takes nothing is told") {
  auto file = export_file::make("/dev/full/none");
  CHECK(!file);
}
