#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// What commands read from answers of the admin API. Nothing is believed: a key
/// that is missing or of another type reads as empty.
namespace weir {

/// The text of a key as it may stand on a terminal, empty when it is missing or
/// null.
std::string text_at(const nlohmann::json& object, const char* key,
                    size_t columns_max = std::numeric_limits<size_t>::max());

int64_t number_at(const nlohmann::json& object, const char* key);

/// The objects in the list `key` of an answer; empty when there is none.
nlohmann::json list_at(const nlohmann::json& answer, const char* key);

std::string or_dash(std::string text);

/// `2026-11-30 04:12:09 UTC`, or a dash.
std::string show_moment(int64_t at_ms);

/// The state of a queue as the configuration leaves it: one that was taken out
/// is `removed`, one without a url `no url`; what they are owed is kept.
std::string shown_state(const nlohmann::json& queue);

/// For how long it has been so; 0 when that is not known.
int64_t shown_for(const nlohmann::json& queue, int64_t as_of_ms);

} // namespace weir
