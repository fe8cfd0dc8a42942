#include "actors/operations/realm_audience.hpp"
#include "actors/operations/realm_bind.hpp"
#include "actors/operations/realm_control.hpp"
#include "actors/operations/realm_submit.hpp"
#include "actors/operations/realm_upkeep.hpp"
#include "actors/operations/realm_work.hpp"
#include "actors/store_writer_submit.hpp"

#include <algorithm>
#include <string>

// What the store writer is asked of realms and of accounts.
namespace weir {

namespace {

using policy::write_priority;

/// How much of a batch each request takes, about, and how urgent it is.
struct extent {
  size_t rows = 1;
  size_t bytes = 0;
  write_priority priority = write_priority::other;
};

extent extent_of(const submit_realm_events& request) {
  extent of{2 * request.offers.size() + 2, 0, write_priority::accept};
  for (const auto& offer : request.offers)
    of.bytes += offer.content.size();
  return of;
}

extent extent_of(const change_realm_audience& request) {
  return {request.add.size() + request.remove.size() + 1};
}

extent extent_of(const replace_realm_audience&) {
  return {limits::realm_audience_change_max};
}

extent extent_of(const cancel_realm_event&) {
  return {3};
}

extent extent_of(const redeliver_realm_event&) {
  return {limits::realm_ends_max};
}

extent extent_of(const halt_realm&) {
  return {2};
}

extent extent_of(const delete_realm&) {
  return {2 * limits::realm_ends_max};
}

/// The first commit of a bind is small, so that others have room beside it; of
/// those that follow nobody waits.
extent extent_of(const bind_realm_event&) {
  return {limits::bind_rows_first};
}

extent extent_of(const work_realm& request) {
  return {4 * request.settles.size() + request.tries.size()
            + request.begins.size() + 1,
          0, write_priority::acknowledge};
}

extent extent_of(const expire_realm&) {
  return {2 * limits::realm_ends_max};
}

extent extent_of(const drop_realm_lossy&) {
  return {2 * limits::realm_ends_max};
}

extent extent_of(const forget_realm&) {
  return {limits::realm_forget_rows_max};
}

template <class Request>
extent extent_of(const Request&) {
  return {};
}

// -- which operation each is --------------------------------------------------

constexpr auto operation_of(const submit_realm_events&) {
  return operations::submit_events;
}

constexpr auto operation_of(const change_realm_audience&) {
  return operations::change_audience;
}

constexpr auto operation_of(const replace_realm_audience&) {
  return operations::replace_audience;
}

constexpr auto operation_of(const cancel_realm_event&) {
  return operations::cancel_event;
}

constexpr auto operation_of(const redeliver_realm_event&) {
  return operations::redeliver_event;
}

constexpr auto operation_of(const halt_realm&) {
  return operations::halt;
}

constexpr auto operation_of(const delete_realm&) {
  return operations::delete_some;
}

constexpr auto operation_of(const bind_realm_event&) {
  return operations::bind_event;
}

constexpr auto operation_of(const work_realm&) {
  return operations::work;
}

constexpr auto operation_of(const expire_realm&) {
  return operations::expire;
}

constexpr auto operation_of(const drop_realm_lossy&) {
  return operations::drop_lossy;
}

constexpr auto operation_of(const load_realm&) {
  return operations::load_lanes;
}

constexpr auto operation_of(const list_realms&) {
  return operations::list;
}

constexpr auto operation_of(const forget_realm&) {
  return operations::forget_some;
}

constexpr auto operation_of(const store_account_pause&) {
  return operations::pause_account;
}

constexpr auto operation_of(const hold_account&) {
  return operations::hold;
}

constexpr auto operation_of(const load_account&) {
  return operations::account;
}

/// Operations of one realm, and of one account, run in the order they came in.
template <class Request>
std::string key_of(const Request& request) {
  if constexpr (requires { request.realm; })
    return "realm/" + request.realm.value;
  else if constexpr (requires { request.account; })
    return "account/" + request.account;
  else
    return "realms";
}

/// At least one: what an answer names as its position has to be one that was
/// promised.
template <class Request>
uint64_t feed_rows(const Request& request) {
  uint64_t rows = 0;
  if constexpr (requires { operations::feed_rows_of(request); })
    rows = operations::feed_rows_of(request);
  return std::max<uint64_t>(rows, 1);
}

} // namespace

template <class Reply, class Request>
caf::result<Reply> store_writer_state::of_realm(const Request& request) {
  const auto extent = extent_of(request);
  return submit<Reply>(request,
                       {key_of(request), extent.rows, extent.bytes,
                        extent.priority, feed_rows(request)},
                       operation_of(request));
}

template caf::result<realm_events_taken>
store_writer_state::of_realm(const submit_realm_events&);
template caf::result<realm_audience_changed>
store_writer_state::of_realm(const change_realm_audience&);
template caf::result<realm_audience_changed>
store_writer_state::of_realm(const replace_realm_audience&);
template caf::result<realm_event_cancelled>
store_writer_state::of_realm(const cancel_realm_event&);
template caf::result<realm_event_redelivered>
store_writer_state::of_realm(const redeliver_realm_event&);
template caf::result<realm_halted>
store_writer_state::of_realm(const halt_realm&);
template caf::result<realm_deleted>
store_writer_state::of_realm(const delete_realm&);
template caf::result<realm_loaded>
store_writer_state::of_realm(const load_realm&);
template caf::result<realm_page>
store_writer_state::of_realm(const list_realms&);
template caf::result<realm_bound>
store_writer_state::of_realm(const bind_realm_event&);
template caf::result<realm_worked>
store_writer_state::of_realm(const work_realm&);
template caf::result<realm_expired>
store_writer_state::of_realm(const expire_realm&);
template caf::result<realm_dropped>
store_writer_state::of_realm(const drop_realm_lossy&);
template caf::result<realm_forgotten>
store_writer_state::of_realm(const forget_realm&);
template caf::result<stored>
store_writer_state::of_realm(const store_account_pause&);
template caf::result<stored> store_writer_state::of_realm(const hold_account&);
template caf::result<account_loaded>
store_writer_state::of_realm(const load_account&);

} // namespace weir
