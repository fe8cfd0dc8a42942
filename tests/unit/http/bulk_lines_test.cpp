#include "http/routes/bulk_lines.hpp"
#include "schema/realm_limits.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

std::string line(const std::string& realm, const std::string& key,
                 const std::string& content = "{}") {
  return R"({"realm":")" + realm + R"(","key":")" + key
    + R"(","type":"app.x","content":)" + content + "}";
}

expected<bulk_lines> read(const std::string& body) {
  int drawn = 0;
  return read_bulk(body, [&] { return "we_" + std::to_string(++drawn); });
}

} // namespace

TEST_CASE("bulk lines: they are parted by realm, each in its order") {
  const auto found
    = read(line("a", "1") + "\n" + line("b", "2") + "\r\n\n" + line("a", "3"));
  REQUIRE(found);
  const auto& lines = found.value();
  REQUIRE(lines.size() == 2);
  const auto& of_a = lines.at({"a"});
  REQUIRE(of_a.size() == 2);
  CHECK(of_a[0].number == 1);
  CHECK(of_a[0].offer.key == "1");
  CHECK(of_a[0].offer.event_id == "we_1");
  CHECK(of_a[1].number == 4);
  CHECK(of_a[1].offer.key == "3");
  CHECK(lines.at({"b"})[0].number == 2);
  CHECK(read("").value().empty());
  CHECK(read("\n").value().empty());
}

TEST_CASE("bulk lines: one that cannot be read refuses all, and is named") {
  const auto found = read(line("a", "1") + "\n{\n" + line("a", "2"));
  REQUIRE(!found);
  CHECK(found.error().code == ec::not_json);
  CHECK(found.error().context.starts_with("line 2: "));
  const auto keyless = read(R"({"realm":"a","type":"t","content":{}})");
  REQUIRE(!keyless);
  CHECK(keyless.error().code == ec::bad_json);
}

TEST_CASE("bulk lines: a request has a bound") {
  std::string body;
  for (size_t i = 0; i < limits::bulk_lines_max; ++i)
    body += line("a", std::to_string(i)) + "\n";
  CHECK(read(body).has_value());
  const auto more = read(body + line("a", "x"));
  REQUIRE(!more);
  CHECK(more.error().code == ec::too_large);
}

TEST_CASE("bulk lines: a commit takes so many, and so many bytes") {
  std::vector<bulk_line> lines(limits::realm_submit_events_max + 5);
  CHECK(lines_of_commit(lines, 0) == limits::realm_submit_events_max);
  CHECK(lines_of_commit(lines, limits::realm_submit_events_max) == 5);
  lines.resize(4);
  for (auto& each : lines)
    each.offer.content = std::string(size_t{300} << 10, 'x');
  CHECK(lines_of_commit(lines, 0) == 1);
  lines[0].offer.content = std::string(size_t{900} << 10, 'x');
  CHECK(lines_of_commit(lines, 0) == 1);
  lines[1].offer.content.clear();
  lines[2].offer.content.clear();
  CHECK(lines_of_commit(lines, 1) == 3);
}
