#include "tests/support/database/postgresql_cluster.hpp"

#include "tests/support/database/postgresql_keeper.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>

namespace weir::test {

namespace {

struct connection_deleter {
  void operator()(PGconn* connection) const noexcept {
    PQfinish(connection);
  }
};

/// Nothing but the start-up packet goes before the first query: the proxy reads
/// what is on the wire.
std::string url(uint16_t port) {
  return "postgresql://weir@127.0.0.1:" + std::to_string(port)
    + "/postgres?sslmode=disable&gssencmode=disable";
}

} // namespace

postgresql_cluster& postgresql_cluster::shared() {
  static postgresql_cluster only;
  return only;
}

postgresql_cluster::postgresql_cluster() : port_{use_postgresql_server()} {
}

void postgresql_cluster::execute(const std::string& statement) const {
  const std::unique_ptr<PGconn, connection_deleter> on{
    PQconnectdb(url(port_).c_str())};
  PQsetNoticeProcessor(
    on.get(), [](void*, const char*) {}, nullptr);
  PGresult* result = PQexec(on.get(), statement.c_str());
  const auto status = PQresultStatus(result);
  const bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  PQclear(result);
  if (!done)
    throw std::runtime_error{std::string{"PostgreSQL: "}
                             + PQerrorMessage(on.get())};
}

postgresql_database::postgresql_database() {
  static std::atomic<int> made{0};
  name_ = "weir_" + std::to_string(::getpid()) + "_" + std::to_string(++made);
  postgresql_cluster::shared().execute("CREATE SCHEMA " + name_);
}

postgresql_database::~postgresql_database() {
  try {
    postgresql_cluster::shared().execute("DROP SCHEMA " + name_ + " CASCADE");
  } catch (const std::runtime_error&) {
    // It goes with the server.
  }
}

store_options postgresql_database::options() const {
  return options_through(postgresql_cluster::shared().port());
}

store_options postgresql_database::options_through(uint16_t port) const {
  return {url(port) + "&application_name=" + name_ + "&options=-csearch_path%3D"
            + name_,
          true};
}

void postgresql_database::end_connections() const {
  postgresql_cluster::shared().execute(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
    "WHERE application_name = '"
    + name_ + "'");
}

void postgresql_database::execute(const std::string& statements) const {
  postgresql_cluster::shared().execute("SET search_path = " + name_ + "; "
                                       + statements);
}

} // namespace weir::test
