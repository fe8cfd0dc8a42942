#pragma once

#include "schema/config.hpp"
#include "schema/yaml.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Where a key of the configuration file stands.
struct config_place {
  int line = 0;
  int column = 0;
};

/// What reading one configuration file has come to: problems, and which keys
/// were given where.
class config_reading {
public:
  config_reading(std::string file, loaded_config& into);

  void problem(const yaml_node& at, const std::string& key, std::string what);
  /// A problem of a key wherever it stands, or of the nearest section above it
  /// that is there.
  void problem(const std::string& key, std::string what);
  void warning(const std::string& key, std::string what);

  void note(const yaml_node& at, const std::string& key);
  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] config_place place_of(const std::string& key) const;

  /// Puts off what needs other keys first.
  void later(std::function<void()> step);
  void run_later();

  /// `path` itself when absolute, else from the configuration file's folder.
  [[nodiscard]] std::string resolve(const std::string& path) const;

private:
  std::string file_;
  loaded_config& into_;
  std::map<std::string, config_place> places_;
  std::vector<std::function<void()>> later_;
};

/// One option: how it is read into a `Target`, and how it is documented. The
/// tables of these are the only list of options.
template <class Target>
struct config_option {
  std::string_view key; ///< Dotted, within its table.
  std::string type;     ///< For the reference.
  std::string bounds;   ///< For the reference; empty: none.
  std::string_view what;
  std::function<void(Target&, const yaml_node&, const std::string& full_key,
                     config_reading&)>
    read;
  /// The value as the reference prints a default; empty: none.
  std::function<std::string(const Target&)> show;
};

template <class Target>
using option_table = std::vector<config_option<Target>>;

const option_table<config>& config_options();
/// Those of realm events: `homeserver.user_id` and its neighbours, `realms`.
void add_realm_options(option_table<config>& table);
/// Of `appservices.defaults` and of each of `appservices.overrides`.
const option_table<appservice_options>& appservice_option_table();
/// Of each of `producers`.
const option_table<producer_options>& producer_option_table();

/// What must hold between options, once all are read.
void check_together(config& settings, config_reading& reading);

/// Whether the file itself, and not a file that it names, holds a secret.
bool holds_secret(const config_reading& reading, const config& settings);

} // namespace weir
