#include "persistence/outcome_feed.hpp"

#include <functional>
#include <utility>

// What the types of stream tokens forbid. Each case has what compiles, and with
// its number as WEIR_CASE what must not; `refused N: ` is followed by what the
// compiler must say (a regular expression, for both compilers). Nothing of it
// is run: tests/compile/run asks the compiler only.

#ifndef WEIR_CASE
#define WEIR_CASE 0
#endif

namespace weir {

/// Another listing.
struct other_view {
  static constexpr bool forgets = false;
  struct page {};
};

using feed_snapshot = caught_up_snapshot<outcome_feed>;

feed_snapshot open(store_reader& from, const read_demand& demand) {
  return std::get<feed_snapshot>(
    snapshot_opener::attempt<outcome_feed>(from, demand).value());
}

void make_and_read(store_reader& from, const read_demand& demand,
                   const raw_token& raw, const known_cursor& cursor) {
#if WEIR_CASE == 1 // refused 1: private.*caught_up|caught_up.*private
  const feed_snapshot made{nullptr, position_vector{}, position_vector{}};
#else
  const feed_snapshot made{open(from, demand)};
#endif
  static_cast<void>(outcome_feed::read(made, 10));
#if WEIR_CASE == 2 // refused 2: raw_token.*to '[^']*caught_up_snapshot
  static_cast<void>(outcome_feed::read(raw, 10));
#elif WEIR_CASE == 3 // refused 3: known_cursor.*to '[^']*caught_up_snapshot
  static_cast<void>(outcome_feed::read(cursor, 10));
#endif
  static_cast<void>(raw);
  static_cast<void>(cursor);
}

void keep(store_reader& from, const read_demand& demand) {
  auto snapshot = open(from, demand);
#if WEIR_CASE == 4 // refused 4: deleted.*caught_up|deleted constructor
  const feed_snapshot other{snapshot};
#else
  const feed_snapshot other{std::move(snapshot)};
#endif
  static_cast<void>(other);
#if WEIR_CASE == 5 // refused 5: copy.constructible|deleted.*caught_up_snapshot
  // As a message that actors share, or a handler that is kept: both are copied.
  const std::function<void()> kept
    = [held = open(from, demand)] { static_cast<void>(held.at()); };
#else
  const auto kept
    = [held = open(from, demand)] { static_cast<void>(held.at()); };
#endif
  kept();
}

void serve_another(store_reader& from, const read_demand& demand) {
#if WEIR_CASE == 6 // refused 6: other_view.*to '[^']*outcome_feed
  using view = other_view;
#else
  using view = outcome_feed;
#endif
  auto attempt = snapshot_opener::attempt<view>(from, demand).value();
  static_cast<void>(
    outcome_feed::read(std::get<caught_up_snapshot<view>>(attempt), 10));
}

void ask(read_demand& demand, const raw_token& raw, const known_token& known,
         const known_cursor& cursor) {
#if WEIR_CASE == 7 // refused 7: operator=.*raw_token|no viable overloaded '='
  demand.after = raw;
#else
  demand.after = known;
#endif
#if WEIR_CASE == 8 // refused 8: operator=.*known_token|no viable overloaded '='
  demand.since = known;
#else
  demand.since = cursor;
#endif
  static_cast<void>(raw);
}

void verify(const token_authority& by, const raw_token& raw,
            const token_owner& who) {
#if WEIR_CASE == 9 // refused 9: protected.*known_token|known_token.*protected
  const known_token known{token_content{}};
#else
  const known_token known{by.verify(raw, who.principal).value()};
#endif
#if WEIR_CASE == 10 // refused 10: (private|protected).*known|known.*protected
  const known_cursor cursor{token_content{}};
#else
  const known_cursor cursor{by.verify_cursor(raw, who).value()};
#endif
  static_cast<void>(known);
  static_cast<void>(cursor);
}

void go_around(store_reader& from, const feed_snapshot& snapshot) {
#if WEIR_CASE == 11 // refused 11: private.*access|snapshot_access.*private
  static_cast<void>(from.open_snapshot({}));
#elif WEIR_CASE == 12 // refused 12: 'rows' is a private|rows.*is private
  static_cast<void>(snapshot.rows());
#endif
  static_cast<void>(from);
  static_cast<void>(snapshot);
}

void answer(const token_authority& by, const token_owner& who,
            const feed_snapshot& snapshot) {
#if WEIR_CASE == 13 // refused 13: private.*read_position|read_position.*private
  const read_position read{snapshot.at()};
#elif WEIR_CASE == 14 // refused 14: private.*page|page.*is private
  const auto read = snapshot.token_after(outcome_feed::page{});
#else
  const auto read
    = snapshot.token_after(outcome_feed::read(snapshot, 10).value());
#endif
  static_cast<void>(by.cursor(read, who));
}

} // namespace weir
