#pragma once

#include "actors/policy/ephemeral.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What a simulated homeserver says in the lanes that are merged. All of it
/// follows from the number of the element, so that whoever meets a number knows
/// what was said.
namespace weir::sim {

/// Top-level keys, as Synapse writes them.
inline constexpr const char* ephemeral_key = "ephemeral";
inline constexpr const char* device_lists_key
  = "org.matrix.msc3202.device_lists";
inline constexpr const char* counts_key
  = "org.matrix.msc3202.device_one_time_keys_count";
inline constexpr const char* misspelt_counts_key
  = "org.matrix.msc3202.device_one_time_key_counts";
inline constexpr const char* fallback_key
  = "org.matrix.msc3202.device_unused_fallback_key_types";

/// What a bridge is promised of these lanes, and of its queue.
struct lane_promise {
  milliseconds typing_age{30'000};
  milliseconds ephemeral_age{3'600'000};
  uint64_t waiting_max = 1'000;
  bool mirror = false;
  bool by_ordering = false;     ///< Its homeserver hands events in one by one.
  bool gives_up_oldest = false; ///< At the bound of its queue.
  milliseconds age_max{0};      ///< Of events; 0: none.
};
/// Drawn from a run's seed by itself, so that plans stay as they are.
std::vector<lane_promise> make_lane_promises(uint64_t seed, size_t bridges);
/// Of a run: so many bytes of dead letters are kept; 0: no bound to speak of.
uint64_t make_letter_room(uint64_t seed);
policy::lane_rules lane_rules_of(const lane_promise& of);

enum class ephemeral_kind : uint8_t { typing, receipt, presence, unknown };

ephemeral_kind ephemeral_kind_of(uint64_t no);
/// Whom or what it is about: later ones about the same replace it. Empty: none
/// do.
std::string ephemeral_subject(uint64_t no);
/// The element; holds its number.
std::string ephemeral_bytes(uint64_t no);

/// One word of a value: the last on each subject counts.
struct said_word {
  std::string subject; ///< With the top-level key.
  std::string value;
};

/// Members of a transaction, of a device list or of key counts.
using members = std::vector<std::pair<std::string, std::string>>;
members device_list_members(uint64_t no);
members key_count_members(uint64_t no);

/// The words in the members `key`: `bytes` of a transaction, however merged.
std::vector<said_word> words_in(const std::string& key,
                                const std::string& bytes);

} // namespace weir::sim
