#pragma once

#include "actors/house.hpp"
#include "http/routes/kept_errand.hpp"

#include <span>
#include <string>
#include <string_view>

/// The quarantine in the admin API; shapes are in docs/api.md. What it holds
/// are bytes of anybody, and are never shown as what they claim to be.
namespace weir {

/// Bodies up to this size are in the JSON of one; larger ones are downloaded.
inline constexpr size_t shown_body_bytes_max = size_t{1} << 20;

/// `appservice`, `after`, `limit`. Errors: `ec::invalid_argument`.
expected<read_quarantine> parse_quarantine_query(std::string_view query);

/// @param asked The page size: a full page names where the next begins.
std::string quarantine_json(std::span<const quarantine_row> bodies,
                            uint64_t asked);

/// One body; its text in `body`, in which bytes that are no UTF-8 are replaced,
/// or null when it is too large.
std::string quarantined_json(const quarantine_row& row);

/// `/quarantine`.
void quarantine_reply(house& door, std::string_view query, const reply& answer);

/// `/quarantine/ID`, and `/quarantine/ID/raw`: the bytes as they came.
void quarantined_reply(house& door, std::string_view path, const reply& answer);

/// Deletes bodies.
void drop_bodies_reply(house& door, kept_change what, reply answer);

} // namespace weir
