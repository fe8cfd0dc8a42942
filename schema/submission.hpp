#pragma once

#include "schema/element.hpp"
#include "schema/error.hpp"

#include <string_view>

namespace weir {

/// Cuts the body of the second door, `{"events":[{"stream_ordering":n,
/// "event":{…}}]}`, into its events, in their order. Bytes are kept exactly, as
/// by `slice_transaction`. In the result every element is an event and has its
/// ordering; of equal orderings the first counts, and `repeated` the others.
/// Unknown keys are ignored.
///
/// Errors: `ec::not_json`; `ec::bad_json`, for an item with its place in the
/// list, when `events` is missing or no list, an item or its event is no
/// object, a known key is there twice, or an ordering is no integer from 0 to
/// 2^63 - 1 written as one; `ec::too_large` for more than
/// `limits::submission_events_max` events.
expected<incoming_transaction> slice_submission(std::string_view body);

} // namespace weir
