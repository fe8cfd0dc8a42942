#include "schema/registration.hpp"

#include "schema/config_values.hpp"
#include "schema/hash.hpp"
#include "schema/yaml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace weir {

namespace {

enum class flag_word : uint8_t { none, yes, no };

/// A boolean as YAML 1.1 has them.
flag_word word_of(const yaml_node& node) {
  constexpr std::array yes{"true", "True", "TRUE", "yes", "Yes",
                           "YES",  "on",   "On",   "ON"};
  constexpr std::array no{"false", "False", "FALSE", "no", "No",
                          "NO",    "off",   "Off",   "OFF"};
  const auto is_one_of = [&node](const auto& words) {
    return node.is_scalar() && !node.quoted
      && std::find(words.begin(), words.end(), node.text) != words.end();
  };
  return is_one_of(yes) ? flag_word::yes
    : is_one_of(no)     ? flag_word::no
                        : flag_word::none;
}

/// Reads the keys of one file and collects what is wrong with them.
class registration_reader {
public:
  registration_reader(const std::string& path, loaded_registrations& into)
    : path_{path},
      into_{into} {
  }

  void problem(int line, int column, const std::string& key, std::string what) {
    into_.problems.push_back({path_, line, column, key, std::move(what)});
    failed_ = true;
  }
  void problem(const yaml_node& at, const std::string& key, std::string what) {
    problem(at.line, at.column, key, std::move(what));
  }
  void warning(const yaml_node& at, const std::string& key, std::string what) {
    into_.warnings.push_back({path_, at.line, at.column, key, std::move(what)});
  }
  [[nodiscard]] bool failed() const noexcept {
    return failed_;
  }

  /// The value of a required key, or null after a problem.
  const yaml_node* required(const yaml_node& root, const std::string& key) {
    if (const auto* entry = root.find(key))
      return &entry->value;
    problem(0, 0, key, "expected this key, it is required");
    return nullptr;
  }

  /// A required value that every reader of YAML takes for a string.
  const yaml_node* required_string(const yaml_node& root,
                                   const std::string& key) {
    const auto* value = required(root, key);
    if (!value || (is_yaml_string(*value) && !value->text.empty()))
      return value;
    problem(*value, key,
            value->is_scalar() && !value->text.empty()
              ? "expected a string, put it in quotes"
              : "expected a string");
    return nullptr;
  }

  std::string token(const yaml_node& root, const std::string& key) {
    const auto* value = required_string(root, key);
    if (!value)
      return {};
    if (auto checked = check_token(value->text); !checked)
      problem(*value, key, checked.error().context);
    return value->text;
  }

  bool flag(const yaml_node& root, const std::string& key, bool otherwise) {
    const auto* entry = root.find(key);
    if (!entry)
      return otherwise;
    const auto word = word_of(entry->value);
    if (word == flag_word::none)
      warning(entry->value, key,
              "expected true or false, homeservers differ here");
    return word == flag_word::none ? otherwise : word == flag_word::yes;
  }

private:
  const std::string& path_;
  loaded_registrations& into_;
  bool failed_ = false;
};

void read_id(const yaml_node& root, appservice_registration& into,
             registration_reader& reader) {
  const auto* value = reader.required_string(root, "id");
  if (!value)
    return;
  constexpr size_t id_bytes_max = 255; // A file is named by it.
  into.id.value = value->text;
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '|';
  };
  if (value->text.size() > id_bytes_max || value->text == "."
      || value->text == ".."
      || std::any_of(value->text.begin(), value->text.end(), is_bad))
    reader.problem(*value, "id",
                   "expected an id of at most 255 bytes without | and control "
                   "characters, which is not . or ..");
  else if (value->text == own_appservice_id)
    reader.problem(*value, "id", "expected another id, this is Weir's own");
}

void read_url(const yaml_node& root, appservice_registration& into,
              registration_reader& reader) {
  const auto* value = reader.required(root, "url");
  if (!value || value->is_null())
    return;
  if (!value->is_scalar())
    return reader.problem(*value, "url", "expected a URL or null");
  if (value->text.empty() || value->text == "null")
    return reader.problem(*value, "url",
                          "expected a URL, or null without quotes");
  auto url = normalise_peer_url(value->text);
  if (!url)
    return reader.problem(*value, "url", url.error().context);
  into.url = std::move(url).value();
}

void read_localpart(const yaml_node& root, appservice_registration& into,
                    registration_reader& reader) {
  const auto* value = reader.required_string(root, "sender_localpart");
  if (!value)
    return;
  into.sender_localpart = value->text;
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9')
      || std::string_view{"._-~/"}.find(c) != std::string_view::npos;
  };
  if (!check_token(value->text))
    reader.problem(*value, "sender_localpart",
                   "expected printable ASCII without spaces");
  else if (!std::all_of(value->text.begin(), value->text.end(), is_safe))
    reader.warning(*value, "sender_localpart",
                   "expected letters, digits and ._-/ only, some homeservers "
                   "refuse others");
}

bool is_yaml_flag(const yaml_node& node) {
  return word_of(node) != flag_word::none;
}

/// Weir routes by none of this, but a homeserver refuses to start with a copy
/// in which it is wrong.
void check_namespace(const yaml_node& list, const std::string& key,
                     registration_reader& reader) {
  if (list.is_null())
    return;
  if (!list.is_list())
    return reader.problem(list, key, "expected a list");
  for (const auto& item : list.items) {
    const auto* regex = item.find("regex");
    const auto* exclusive = item.find("exclusive");
    if (!regex || !is_yaml_string(regex->value))
      reader.problem(regex ? regex->value : item, key + ".regex",
                     "expected a string");
    if (!exclusive || !is_yaml_flag(exclusive->value))
      reader.problem(exclusive ? exclusive->value : item, key + ".exclusive",
                     "expected true or false");
  }
}

void read_namespaces(const yaml_node& root, registration_reader& reader) {
  const auto* value = reader.required(root, "namespaces");
  if (!value)
    return;
  if (!value->is_map())
    return reader.problem(*value, "namespaces",
                          "expected a section with users, aliases, rooms");
  for (const auto& [key, list] : value->entries)
    if (key.text == "users" || key.text == "aliases" || key.text == "rooms")
      check_namespace(list, "namespaces." + key.text, reader);
}

/// Keys that Weir only passes on, but a homeserver refuses when wrong.
void check_passed_on(const yaml_node& root, registration_reader& reader) {
  for (const auto* key : {"org.matrix.msc3202", "io.element.msc4190"})
    if (const auto* entry = root.find(key);
        entry && !is_yaml_flag(entry->value))
      reader.problem(entry->value, key, "expected true or false");
  const auto* protocols = root.find("protocols");
  if (!protocols || protocols->value.is_null())
    return;
  const auto& items = protocols->value.items;
  if (!protocols->value.is_list()
      || !std::all_of(items.begin(), items.end(), is_yaml_string))
    reader.problem(protocols->value, "protocols", "expected a list of strings");
}

int line_of(const yaml_node& root, std::string_view key) {
  const auto* entry = root.find(key);
  return entry != nullptr ? entry->key.line : 0;
}

} // namespace

void parse_registration(const std::string& path, std::string_view text,
                        loaded_registrations& into) {
  registration_reader reader{path, into};
  auto document = read_yaml(text);
  for (auto& found : document.problems)
    reader.problem(found.line, found.column, found.key, std::move(found.what));
  if (reader.failed())
    return;
  const auto& root = document.root;
  if (!root.is_map())
    return reader.problem(root.line, root.column, "",
                          "expected the keys of a registration");
  appservice_registration result;
  result.source_file = path;
  read_id(root, result, reader);
  read_url(root, result, reader);
  result.as_token = reader.token(root, "as_token");
  result.hs_token = reader.token(root, "hs_token");
  read_localpart(root, result, reader);
  read_namespaces(root, reader);
  check_passed_on(root, reader);
  result.rate_limited = reader.flag(root, "rate_limited", true);
  const bool stable = reader.flag(root, "receive_ephemeral", false);
  const bool older
    = reader.flag(root, "de.sorunome.msc2409.push_ephemeral", false);
  result.receive_ephemeral = stable || older;
  if (reader.failed())
    return;
  result.id_line = line_of(root, "id");
  result.url_line = line_of(root, "url");
  result.as_token_line = line_of(root, "as_token");
  result.document_hash = sha256_head(write_yaml(root));
  if (into.kept == documents::keep)
    result.document
      = std::make_shared<const yaml_node>(std::move(document.root));
  into.registrations.push_back(std::move(result));
}

} // namespace weir
