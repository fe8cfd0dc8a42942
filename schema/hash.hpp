#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// The first 8 bytes of SHA-256, big endian: what rows are compared by.
uint64_t sha256_head(std::string_view bytes);

/// HMAC-SHA-256 (RFC 2104) as 64 lower-case hex digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

/// The same as its 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

/// Equality whose time depends on the lengths only: for tokens. The length of a
/// secret may leak, its content may not.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// `2 * bytes` lower-case hex digits from the system's secure generator.
std::string random_hex(size_t bytes);

} // namespace weir
