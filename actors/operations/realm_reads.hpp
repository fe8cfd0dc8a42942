#pragma once

#include "actors/messages/realm_reads.hpp"
#include "persistence/store.hpp"
#include "persistence/tokens.hpp"
#include "schema/error.hpp"

/// The reading side of realms: tokens are verified, a snapshot is compared with
/// them, and what is read from it has its own token.
namespace weir::operations {

expected<realm_answer> answer_realm(store_reader& db,
                                    const token_authority& tokens,
                                    const read_realm& request);

/// Looks at most at `limits::feed_looked_max` rows for those of the realms that
/// may be seen: an answer may be empty and yet say that there is more.
expected<feed_answer> answer_feed(store_reader& db,
                                  const token_authority& tokens,
                                  const read_feed& request);

expected<realms_found> list_rows(store_reader& db, const read_realms& request);

/// The realm of a row of the feed; empty when it is of something else.
std::string_view realm_of(const outcome_row& row) noexcept;

} // namespace weir::operations
