#include "schema/yaml.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

yaml_node plain(const std::string& text) {
  yaml_node node;
  node.kind = yaml_node::kind_type::scalar;
  node.text = text;
  return node;
}

} // namespace

TEST_CASE("yaml types: what some reader takes for a number is no string") {
  for (const std::string text :
       {"0", "12", "-1", "+1", "012", "0o17", "0x1F", "0b101", "1_000", "1.",
        ".5", "1.5", "1e3", "1.5e-3", "190:20:30", "-0"})
    CHECK_FALSE_MESSAGE(is_yaml_string(plain(text)), text);
  for (const std::string text : {"0x", "0b2", "0o8", "1a", "1e", "1:", ":1",
                                 ".", "-", "+", "1.5.2", "e3", "12 ", "x12"})
    CHECK_MESSAGE(is_yaml_string(plain(text)), text);
}

TEST_CASE("yaml types: words and times of YAML 1.1 are no strings") {
  for (const std::string text : {"",
                                 "~",
                                 "null",
                                 "Null",
                                 "true",
                                 "TRUE",
                                 "yes",
                                 "No",
                                 "on",
                                 "OFF",
                                 "y",
                                 "N",
                                 "=",
                                 "<<",
                                 ".inf",
                                 "-.INF",
                                 "+.inf",
                                 ".NaN",
                                 "2001-12-14",
                                 "2001-12-14t21:59:43.10-05:00",
                                 "2001-12-14 21:59:43"})
    CHECK_FALSE_MESSAGE(is_yaml_string(plain(text)), text);
  for (const std::string text :
       {"nul", "yess", "truely", "2001-12", "2001-12-14x", "inf", "@a:b"})
    CHECK_MESSAGE(is_yaml_string(plain(text)), text);
}

TEST_CASE("yaml types: what stands in quotes is a string, a list is none") {
  auto node = plain("12");
  node.quoted = true;
  CHECK(is_yaml_string(node));
  node.kind = yaml_node::kind_type::list;
  CHECK_FALSE(is_yaml_string(node));
  CHECK_FALSE(is_yaml_string(yaml_node{}));
}
