#include "actors/operations/realm_reads.hpp"

#include "persistence/outcome_feed.hpp"
#include "persistence/realm_store.hpp"
#include "schema/realm_limits.hpp"
#include "schema/realm_pattern.hpp"

#include <algorithm>
#include <iterator>

namespace weir::operations {

namespace {

constexpr std::string_view realm_prefix = "realm/";

token_owner owner_of(const token_claim& by) {
  return {by.principal, by.filter};
}

judged<read_demand> verified(const token_authority& tokens,
                             const token_claim& by) {
  read_demand demand;
  if (!by.since.empty()) {
    auto cursor = tokens.verify_cursor(raw_token{by.since}, owner_of(by));
    if (!cursor)
      return refuse(cursor.error());
    demand.since = std::move(cursor.value());
  }
  if (!by.after.empty()) {
    auto known = tokens.verify(raw_token{by.after}, by.principal);
    if (!known)
      return refuse(known.error());
    demand.after = std::move(known.value());
  }
  return demand;
}

/// Rows that `patterns` let be seen.
void keep_visible(std::vector<outcome_row>& rows,
                  const std::vector<std::string>& patterns) {
  std::erase_if(rows, [&](const outcome_row& row) {
    const auto realm = realm_of(row);
    return realm.empty()
      || !matches_any(patterns, realm_id{std::string{realm}});
  });
}

/// One page of the feed as it is, with the token behind it.
expected<feed_answer> next_page(store_reader& db, const token_authority& tokens,
                                const read_feed& request,
                                const token_claim& by) {
  feed_answer answer;
  const auto demand = verified(tokens, by);
  if (!demand) {
    answer.how.refused = demand.error();
    return answer;
  }
  WEIR_TRY(auto found,
           snapshot_opener::attempt<outcome_feed>(db, demand.value()));
  if (const auto* how = std::get_if<token_standing>(&found)) {
    answer.how = *how;
    return answer;
  }
  const auto& from = std::get<caught_up_snapshot<outcome_feed>>(found);
  WEIR_TRY(auto page, outcome_feed::read(from, request.rows_max));
  WEIR_TRY(answer.next, tokens.cursor(from.token_after(page), owner_of(by)));
  answer.rows = std::move(page.rows);
  answer.more = page.more;
  return answer;
}

} // namespace

expected<realm_answer> answer_realm(store_reader& db,
                                    const token_authority& tokens,
                                    const read_realm& request) {
  realm_answer answer;
  const auto demand = verified(tokens, request.by);
  if (!demand) {
    answer.how.refused = demand.error();
    return answer;
  }
  {
    WEIR_TRY(auto found,
             snapshot_opener::attempt<realm_view>(db, demand.value()));
    if (const auto* how = std::get_if<token_standing>(&found)) {
      answer.how = *how;
      return answer;
    }
    const auto& from = std::get<caught_up_snapshot<realm_view>>(found);
    WEIR_TRY(auto page, realm_view::read(from, request.what));
    WEIR_TRY(answer.token,
             tokens.cursor(from.token_after(page), owner_of(request.by)));
    answer.facts = std::move(page.facts);
  }
  // Behind the snapshot, which lets nothing else be asked while it is open.
  WEIR_TRY(answer.as_of, db.now());
  return answer;
}

expected<feed_answer> answer_feed(store_reader& db,
                                  const token_authority& tokens,
                                  const read_feed& request) {
  auto by = request.by;
  uint64_t looked = 0;
  while (true) {
    WEIR_TRY(auto page, next_page(db, tokens, request, by));
    if (!page.how.covered())
      return page;
    looked += page.rows.size();
    keep_visible(page.rows, request.realms);
    if (!page.rows.empty() || !page.more || looked >= limits::feed_looked_max)
      return page;
    by.since = page.next;
  }
}

expected<realms_found> list_rows(store_reader& db, const read_realms& request) {
  realms_found found;
  auto& rows = db.realms();
  WEIR_TRY(auto realms, rows.realms(request.after, request.rows_max));
  for (auto& row : realms) {
    WEIR_TRY(const auto oldest, rows.oldest_open(row.no));
    found.realms.push_back({std::move(row), oldest});
  }
  WEIR_TRY(found.as_of, db.now());
  return found;
}

std::string_view realm_of(const outcome_row& row) noexcept {
  const std::string_view queue{row.queue};
  return queue.starts_with(realm_prefix) ? queue.substr(realm_prefix.size())
                                         : std::string_view{};
}

} // namespace weir::operations
