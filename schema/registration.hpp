#pragma once

#include "schema/config.hpp"
#include "schema/config_files.hpp"
#include "schema/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

struct yaml_node;

/// One bridge's registration file as Weir uses it. Source: Application Service
/// API, "Registration"; rules a1-a6 of the appservice rules.
struct appservice_registration {
  appservice_id id;
  /// Where the bridge listens, in the form of `http_peer::url`. Empty when the
  /// file says `url: null`: such an appservice is sent nothing (R21).
  std::optional<std::string> url;
  std::string as_token; ///< From the appservice to the homeserver. Unique.
  std::string hs_token; ///< From the homeserver to the appservice.
  std::string sender_localpart;
  bool rate_limited = true;
  bool receive_ephemeral = false; ///< In the stable or the older spelling.
  std::string source_file;
  int id_line = 0; ///< Where its keys stand in the file; 0: nowhere.
  int url_line = 0;
  int as_token_line = 0;
  /// Of the whole file, whatever its spelling: two that differ in it differ in
  /// something that the homeserver's copy says.
  uint64_t document_hash = 0;
  /// The whole file, for the copy that the homeserver loads; null when the
  /// reader had no use for it.
  std::shared_ptr<const yaml_node> document;
};

/// Whether whole registration files stay in memory, some 10 KB each. Only who
/// writes copies of them needs that.
enum class documents : uint8_t { keep, forget };

/// The registrations of all files that were named.
struct loaded_registrations {
  std::vector<appservice_registration> registrations; ///< By path, then id.
  /// Whether a request can be told by its token alone. Not required.
  bool hs_tokens_unique = true;
  std::vector<config_problem> problems;
  std::vector<config_problem> warnings;
  documents kept = documents::keep;
};

/// Large bridges list a few hundred namespaces.
inline constexpr size_t registration_bytes_max = size_t{1} << 20;
inline constexpr size_t registrations_max = 10'000;

/// Reads every file that the globs name, each once, in order of path, and
/// reports all that is wrong at once. A glob without wildcards names a file
/// that must be there.
loaded_registrations load_registrations(const std::vector<std::string>& globs,
                                        documents use = documents::keep);

/// Reads one registration from text, adding it or what is wrong to `into`.
void parse_registration(const std::string& path, std::string_view text,
                        loaded_registrations& into);

/// The configuration and the registrations it names, checked together.
struct loaded_setup {
  std::string config_path; ///< The file that was read.
  config settings;
  std::vector<appservice_registration> registrations;
  bool hs_tokens_unique = true;
  std::vector<config_problem> problems; ///< To be used only when empty.
  std::vector<config_problem> warnings;
};

loaded_setup load_setup(const std::string& config_path,
                        documents use = documents::keep);

/// The `id` of Weir's own registration, which no bridge may have.
inline constexpr std::string_view own_appservice_id = "weir";

/// The copy of a bridge's registration that the homeserver loads: every key and
/// value as it was, but `url` is `{public_url}/_weir/as/{id}`, unless it is
/// null.
std::string emit_homeserver_copy(const appservice_registration& registration,
                                 std::string_view public_url);

/// The tokens of Weir's own registration; empty where it has none.
struct own_tokens {
  std::string as_token;
  std::string hs_token;
};

/// Reads them from a file written before; both empty when it is none.
own_tokens read_own_tokens(std::string_view text);

/// The `id` in a registration's text; empty when it is no registration.
std::string registration_id_of(std::string_view text);

/// Weir's own registration: no `url`, not rate limited, a user namespace of the
/// whole server that is not exclusive.
std::string emit_weir_registration(std::string_view server_name,
                                   std::string_view as_token,
                                   std::string_view hs_token);

} // namespace weir
