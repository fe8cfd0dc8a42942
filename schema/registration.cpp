#include "schema/registration.hpp"

#include "schema/config_values.hpp"
#include "schema/yaml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace weir {

namespace {

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
    const auto& value = entry->value;
    constexpr std::array yes{"true", "True", "TRUE", "yes", "Yes",
                             "YES",  "on",   "On",   "ON"};
    constexpr std::array no{"false", "False", "FALSE", "no", "No",
                            "NO",    "off",   "Off",   "OFF"};
    const auto is_one_of = [&value](const auto& words) {
      return value.is_scalar() && !value.quoted
        && std::find(words.begin(), words.end(), value.text) != words.end();
    };
    if (is_one_of(yes))
      return true;
    if (!is_one_of(no))
      warning(value, key, "expected true or false, homeservers differ here");
    return is_one_of(no) ? false : otherwise;
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
  if (!std::all_of(value->text.begin(), value->text.end(), is_safe))
    reader.warning(*value, "sender_localpart",
                   "expected letters, digits and ._-/ only, some homeservers "
                   "refuse others");
}

/// What homeservers refuse here is none of ours to refuse, but worth a word.
void check_namespace(const yaml_node& list, const std::string& key,
                     registration_reader& reader) {
  if (list.is_null())
    return;
  if (!list.is_list())
    return reader.warning(list, key, "expected a list");
  for (const auto& item : list.items) {
    const auto* regex = item.find("regex");
    const auto* exclusive = item.find("exclusive");
    if (!item.is_map() || !regex || !regex->value.is_scalar() || !exclusive
        || !exclusive->value.is_scalar() || exclusive->value.quoted)
      reader.warning(item, key,
                     "expected items with a regex and with exclusive: true or "
                     "false");
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
  result.rate_limited = reader.flag(root, "rate_limited", true);
  const bool stable = reader.flag(root, "receive_ephemeral", false);
  const bool older
    = reader.flag(root, "de.sorunome.msc2409.push_ephemeral", false);
  result.receive_ephemeral = stable || older;
  if (reader.failed())
    return;
  result.document = std::make_shared<const yaml_node>(std::move(document.root));
  into.registrations.push_back(std::move(result));
}

} // namespace weir
