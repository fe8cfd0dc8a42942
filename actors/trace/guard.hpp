#pragma once

#include "schema/bytes.hpp"
#include "schema/guarded.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What a trace shows of guarded values, and what stands for them when they are
/// read back.
namespace weir::trace {

using json = nlohmann::ordered_json;

/// Text as JSON: a string when it is UTF-8 without a zero byte, else
/// `{"hex": …}`.
json text_json(std::string_view text);

/// The other way. False when `from` is neither.
bool read_text(const json& from, std::string& into);

/// `{"len": N, "sha256": first 16 digits}`. A stand-in is shown as what it
/// stands for, so that what is read back and shown again is the same.
/// Text made with a stand-in has the right length and `hash_unknown`.
json redacted(std::string_view bytes);

/// The same, remembered: one body passes through many mailboxes.
json redacted(const shared_bytes& bytes);

inline constexpr const char* hash_unknown = "unknown";

/// Puts what `from` tells where `into` has an unknown hash: a replay knows the
/// hash of a token, and not that of a header field made with it, nor how long
/// it is escaped in a query.
void adopt_unknown_hashes(const json& from, json& into);

/// Text for `redacted(bytes)`: of the same length, where that leaves room for
/// the hash, so that whoever counts bytes comes to the same sum.
std::string stand_in(size_t bytes, std::string_view sha256_start);

/// What is shown of each kind of guarded text when content is held back.
json guarded_json(const secret& text);
json guarded_json(const event_bytes& text);
json guarded_json(const answer_bytes& text);
json guarded_json(const request_target& text);

/// Reads any of those, and plain text. A stand-in takes as many bytes as what
/// it stands for; they go off `bytes_left`. False when `from` is neither, or
/// names more than that.
bool read_guarded(const json& from, std::string& into, uint64_t& bytes_left);

/// Whether the value of this header field may be shown: the few that decisions
/// are taken by. All others may hold a token or a cookie.
bool is_open_field(std::string_view name) noexcept;

} // namespace weir::trace
