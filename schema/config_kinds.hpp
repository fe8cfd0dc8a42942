#pragma once

#include "schema/config_files.hpp"
#include "schema/config_options.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>

#include <charconv>
#include <string>
#include <utility>

/// The kinds of options, one function each. `field` finds the member in a
/// target, const or not.
namespace weir::kinds {

using std::chrono::milliseconds;

/// What a key can be a misspelling of: every option, and every section above
/// one.
template <class Target>
std::vector<std::string> known_keys(const option_table<Target>& table) {
  std::vector<std::string> keys;
  for (const auto& option : table)
    keys.emplace_back(option.key);
  for (const auto& option : table)
    for (auto dot = option.key.rfind('.'); dot != std::string_view::npos;
         dot = option.key.substr(0, dot).rfind('.'))
      keys.emplace_back(option.key.substr(0, dot));
  return keys;
}

/// Reads every entry of `map` by the table; `prefix` is the part of the table's
/// keys already gone down, `full` the path in the file; both end in '.' or are
/// empty. Unknown keys are problems.
template <class Target>
void read_section(const option_table<Target>& table, Target& target,
                  const yaml_node& map, const std::string& prefix,
                  const std::string& full, config_reading& reading) {
  const auto candidates = known_keys(table);
  for (const auto& [key, value] : map.entries) {
    const auto path = prefix + key.text;
    const auto full_path = full + key.text;
    reading.note(key, full_path);
    const config_option<Target>* found = nullptr;
    bool is_section = false;
    for (const auto& option : table) {
      if (option.key == path)
        found = &option;
      is_section = is_section || option.key.starts_with(path + ".");
    }
    if (found) {
      found->read(target, value, full_path, reading);
    } else if (is_section && value.is_map()) {
      read_section(table, target, value, path + ".", full_path + ".", reading);
    } else if (is_section) {
      if (!value.is_null())
        reading.problem(value, full_path, "expected a section of keys");
    } else {
      const auto nearest = nearest_key(path, candidates);
      reading.problem(
        key, full_path,
        nearest.empty()
          ? "expected a known key"
          : fmt::format("expected a known key, did you mean {}", nearest));
    }
  }
}

/// A scalar's text; else a problem that says what was expected.
inline const std::string* text_of(const yaml_node& node, const std::string& key,
                                  const std::string& what,
                                  config_reading& reading) {
  if (node.is_scalar())
    return &node.text;
  reading.problem(node, key, what);
  return nullptr;
}

template <class Target, class Field>
config_option<Target> duration(std::string_view key, Field field,
                               milliseconds least, milliseconds most,
                               std::string_view what) {
  const auto bounds
    = fmt::format("{} to {}", show_duration(least), show_duration(most));
  return {key,
          "duration",
          bounds,
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            const auto wanted = fmt::format(
              "expected a duration from {} with its unit", bounds);
            const auto* text = text_of(node, full, wanted, reading);
            if (!text)
              return;
            const auto value = parse_duration(*text);
            if (!value || value.value() < least || value.value() > most)
              return reading.problem(node, full, wanted);
            field(target) = value.value();
          },
          [=](const Target& target) { return show_duration(field(target)); }};
}

template <class Target, class Field>
config_option<Target> size(std::string_view key, Field field, uint64_t least,
                           uint64_t most, std::string_view what) {
  const auto bounds
    = fmt::format("{} to {}", show_size(least), show_size(most));
  return {key,
          "size",
          bounds,
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            const auto wanted = fmt::format(
              "expected a size from {} in bytes or with a unit", bounds);
            const auto* text = text_of(node, full, wanted, reading);
            if (!text)
              return;
            const auto value = parse_size(*text);
            if (!value || value.value() < least || value.value() > most)
              return reading.problem(node, full, wanted);
            field(target) = value.value();
          },
          [=](const Target& target) { return show_size(field(target)); }};
}

template <class Target, class Field>
config_option<Target> count(std::string_view key, Field field, uint64_t least,
                            uint64_t most, std::string_view what) {
  const auto bounds = fmt::format("{} to {}", least, most);
  return {
    key,
    "number",
    bounds,
    what,
    [=](Target& target, const yaml_node& node, const std::string& full,
        config_reading& reading) {
      uint64_t value = 0;
      const auto* end = node.text.data() + node.text.size();
      const auto parsed = std::from_chars(node.text.data(), end, value);
      if (!node.is_scalar() || node.quoted || parsed.ec != std::errc{}
          || parsed.ptr != end || value < least || value > most)
        return reading.problem(
          node, full, fmt::format("expected a whole number from {}", bounds));
      using value_type = std::remove_reference_t<decltype(field(target))>;
      field(target) = static_cast<value_type>(value);
    },
    [=](const Target& target) { return fmt::format("{}", field(target)); }};
}

template <class Target, class Field>
config_option<Target> flag(std::string_view key, Field field,
                           std::string_view what) {
  return {key,
          "true or false",
          "",
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            if (!node.is_scalar() || node.quoted
                || (node.text != "true" && node.text != "false"))
              return reading.problem(node, full, "expected true or false");
            field(target) = node.text == "true";
          },
          [=](const Target& target) {
            return std::string{field(target) ? "true" : "false"};
          }};
}

/// One word of a few; `Values` is an array of pairs of word and value.
template <class Target, class Field, class Values>
config_option<Target> choice(std::string_view key, Field field, Values values,
                             std::string_view what) {
  std::string words;
  for (const auto& [word, value] : values)
    words.append(words.empty() ? "" : ", ").append(word);
  return {key,
          "word",
          words,
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            for (const auto& [word, value] : values)
              if (node.is_scalar() && node.text == word) {
                field(target) = value;
                return;
              }
            reading.problem(node, full, "expected one of " + words);
          },
          [=](const Target& target) {
            std::string shown;
            for (const auto& [word, value] : values)
              if (field(target) == value)
                shown = word;
            return shown;
          }};
}

/// Text that `parse`, an `expected<std::string>(std::string_view)`, takes and
/// brings to its normal form.
template <class Target, class Field, class Parse>
config_option<Target> text(std::string_view key, std::string type, Field field,
                           Parse parse, std::string_view what) {
  const auto wanted = "expected a string: " + type;
  return {key,
          std::move(type),
          "",
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            const auto* given = text_of(node, full, wanted, reading);
            if (!given)
              return;
            auto value = parse(std::string_view{*given});
            if (!value)
              return reading.problem(node, full, value.error().context);
            field(target) = std::move(value).value();
          },
          [=](const Target& target) { return field(target); }};
}

/// Turns a check into a `parse` that leaves the text as it is.
template <class Check>
auto checked_by(Check check) {
  return [check](std::string_view given) -> expected<std::string> {
    WEIR_TRY(check(given));
    return std::string{given};
  };
}

/// The path of a file; not opened here.
template <class Target, class Field>
config_option<Target> path(std::string_view key, Field field,
                           std::string_view what) {
  return {key,
          "path",
          "",
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            const auto* given = text_of(node, full, "expected a path", reading);
            if (given && given->empty())
              reading.problem(node, full, "expected a path, found nothing");
            else if (given)
              field(target) = reading.resolve(*given);
          },
          [=](const Target& target) { return field(target); }};
}

/// A file with certificates, which must be readable.
template <class Target, class Field>
config_option<Target> readable_path(std::string_view key, Field field,
                                    std::string_view what) {
  auto option = path<Target>(key, field, what);
  option.read = [read = option.read,
                 field](Target& target, const yaml_node& node,
                        const std::string& full, config_reading& reading) {
    constexpr size_t pem_bytes_max = size_t{16} << 20;
    const auto before = field(target);
    read(target, node, full, reading);
    if (field(target) == before)
      return;
    const auto file = read_file(field(target), pem_bytes_max);
    if (!file)
      reading.problem(node, full,
                      "expected a readable file, " + file.error().context);
  };
  return option;
}

/// A token written into the file itself: never a number, never shown.
template <class Target, class Field>
config_option<Target> token(std::string_view key, Field field,
                            std::string_view what) {
  return {key,
          "token",
          "printable ASCII",
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            if (!is_yaml_string(node))
              return reading.problem(
                node, full, "expected a token that is a string, in quotes");
            if (auto checked = check_token(node.text); !checked)
              return reading.problem(node, full, checked.error().context);
            field(target) = node.text;
          },
          [](const Target&) { return std::string{}; }};
}

/// A file that holds the token of `field`; it must not be given there too.
template <class Target, class Field>
config_option<Target> token_file(std::string_view key, Field field,
                                 std::string_view what) {
  return {key,
          "path",
          "not readable by others",
          what,
          [=](Target& target, const yaml_node& node, const std::string& full,
              config_reading& reading) {
            const auto* given = text_of(
              node, full, "expected the path of a token file", reading);
            if (!given)
              return;
            auto read = read_token_file(reading.resolve(*given));
            if (!read)
              return reading.problem(
                node, full, "expected a token file, " + read.error().context);
            field(target) = std::move(read).value();
          },
          [](const Target&) { return std::string{}; }};
}

} // namespace weir::kinds
