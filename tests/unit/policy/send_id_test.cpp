#include "actors/policy/send_id.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;

TEST_CASE("send id: d8 it follows from event, room and content alone") {
  const auto id = send_id("we_1", {"!a:hs"}, "{}");
  CHECK(id == send_id("we_1", {"!a:hs"}, "{}"));
  CHECK(id.size() == 41);
  CHECK(id.find_first_not_of("w0123456789abcdef") == std::string::npos);
  CHECK(id != send_id("we_2", {"!a:hs"}, "{}"));
  CHECK(id != send_id("we_1", {"!b:hs"}, "{}"));
  CHECK(id != send_id("we_1", {"!a:hs"}, "{ }"));
}

TEST_CASE("send id: d8 what is cut elsewhere is another send") {
  CHECK(send_id("we_1", {"2!a"}, "") != send_id("we_12", {"!a"}, ""));
  CHECK(send_id("we", {"!a"}, "") != send_id("", {"we!a"}, ""));
}
