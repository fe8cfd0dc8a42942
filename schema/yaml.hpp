#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

struct yaml_entry;

/// One value of a YAML document, with where it stood. Aliases are replaced by
/// copies of what they name.
struct yaml_node {
  enum class kind_type : uint8_t { null, scalar, list, map };

  kind_type kind = kind_type::null;
  /// Of a scalar: written in quotes, as a block, or tagged `!!str`, so that it
  /// is a string whatever it looks like.
  bool quoted = false;
  std::string text;                ///< Of a scalar.
  std::vector<yaml_node> items;    ///< Of a list.
  std::vector<yaml_entry> entries; ///< Of a map, in order; keys differ.
  int line = 0;                    ///< From 1.
  int column = 0;                  ///< From 1.

  [[nodiscard]] bool is_null() const noexcept {
    return kind == kind_type::null;
  }
  [[nodiscard]] bool is_scalar() const noexcept {
    return kind == kind_type::scalar;
  }
  [[nodiscard]] bool is_list() const noexcept {
    return kind == kind_type::list;
  }
  [[nodiscard]] bool is_map() const noexcept {
    return kind == kind_type::map;
  }
  /// The entry of a map with this key, or null.
  [[nodiscard]] const yaml_entry* find(std::string_view key) const noexcept;
};

/// One entry of a map; `key.is_scalar()` holds.
struct yaml_entry {
  yaml_node key;
  yaml_node value;
};

/// What is wrong in a document, and where.
struct yaml_problem {
  int line = 0;
  int column = 0;
  std::string key; ///< Dotted path of the map entry concerned, if any.
  std::string what;
};

/// One parsed file, with what was wrong with it.
struct yaml_document {
  yaml_node root; ///< Null for an empty document.
  std::vector<yaml_problem> problems;
};

/// Reads one YAML document of UTF-8 text. Refused beside what is no YAML:
/// duplicate keys, keys that are no scalars, merge keys, tags other than those
/// of strings, lists and maps, a second document, control characters, aliases
/// inside what they name, and text whose aliases unfold to more than
/// `yaml_bytes_max`.
yaml_document read_yaml(std::string_view text);

/// How much memory the unfolded document may take: a registration of the
/// largest size allowed takes less, a bomb made of aliases takes more.
inline constexpr size_t yaml_bytes_max = size_t{64} << 20;
/// Deeper than any file of ours or of a bridge; keeps recursion shallow.
inline constexpr size_t yaml_depth_max = 64;

/// Whether every reader of YAML takes the node for a string: quoted, or plain
/// and neither a number, a boolean, a time nor nothing by YAML 1.1 or 1.2.
bool is_yaml_string(const yaml_node& node);

/// Writes a map as YAML that every reader takes as the same values: what was a
/// string stays one, and what was plain and may be a number, a boolean or a
/// time is written with its own characters.
std::string write_yaml(const yaml_node& map);

} // namespace weir
