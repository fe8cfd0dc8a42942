#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace weir {

/// The order in which a name's addresses are tried: the resolver's, but with
/// IPv6 and IPv4 taking turns, so that one family that leads nowhere costs one
/// share of the deadline and not one for each of its addresses.
/// Source: RFC 8305, "Sorting Addresses".
std::vector<std::string> address_order(std::vector<std::string> addresses);

/// How long an address is alone before the next is tried beside it: a quarter
/// of a second, less when the deadline is short, so that every one of `count`
/// addresses has its turn in the first half of it.
std::chrono::milliseconds address_share(std::chrono::milliseconds deadline,
                                        size_t count) noexcept;

} // namespace weir
