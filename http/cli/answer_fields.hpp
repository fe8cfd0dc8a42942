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

/// Milliseconds since 1970, or a dash.
std::string show_ms(int64_t at_ms);

} // namespace weir
