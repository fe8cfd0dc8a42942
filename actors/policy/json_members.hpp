#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::policy {

/// One member of an object; views are into its text.
struct json_member {
  std::string key;          ///< Unescaped.
  std::string_view raw_key; ///< Without quotes.
  std::string_view value;
};

/// One string of a list.
struct json_text {
  std::string text;     ///< Unescaped.
  std::string_view raw; ///< With quotes.
};

/// The members of one JSON object, in their order. Nothing when it is none, or
/// names a key twice.
[[nodiscard]] std::optional<std::vector<json_member>>
read_members(std::string_view object);

/// The strings of one JSON list, in their order. Nothing when it is none, or
/// holds anything else.
[[nodiscard]] std::optional<std::vector<json_text>>
read_texts(std::string_view list);

} // namespace weir::policy
