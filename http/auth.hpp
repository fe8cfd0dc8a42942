#pragma once

#include "http/exchange.hpp"
#include "schema/error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The tokens that came with a request, not checked yet.
struct credentials {
  std::optional<std::string> header; ///< Of `Authorization: Bearer`.
  std::optional<std::string> query;  ///< `access_token`, percent-decoded.
  /// Another scheme, two Authorization fields, or two query tokens that differ:
  /// no token can make this right.
  bool unusable = false;
};

/// Reads the credentials of a request.
credentials read_credentials(const request_head& head);

/// Compares the credentials with the one token that is right. The header is
/// mandatory; with `query_alone` (a legacy homeserver) the query token may
/// stand for it. Where both came, both must be right. Takes the same time
/// wherever the tokens differ. Errors: `ec::forbidden`. Source: Application
/// Service API, "Authorization"; spec (b), D2.
expected<void> check_token(const credentials& given, std::string_view token,
                           bool query_alone = false);

/// One token that may be right at the root, where only the token tells which
/// appservice is meant.
struct token_candidate {
  std::string_view token;
  bool query_alone = false;
};

/// The index of the candidate that `check_token` accepts. Every candidate is
/// compared, so the time does not tell which it was. Errors: `ec::forbidden`.
expected<size_t> find_by_token(const credentials& given,
                               std::span<const token_candidate> candidates);

/// The query without its `access_token` parameters; every other byte stays.
std::string strip_access_token(std::string_view query);

/// A target (path and query) without `access_token`: for logs, and for bridges
/// that are not to see it.
std::string strip_target(std::string_view target);

} // namespace weir
