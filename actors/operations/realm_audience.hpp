#pragma once

#include "actors/messages/realm_control.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Adds rooms to a realm's audience and takes some out, as its next version. A
/// room that comes back has a subscription of its own: what was bound for the
/// one before ends (E21). So has one whose subscription rested.
expected<realm_audience_changed>
change_audience(store& db, batch_context& batch,
                const change_realm_audience& request);

/// Prepares a whole audience as one version, some rooms in each commit, which
/// holds with the last of them. Source: E11, E21 of the realm rules.
expected<realm_audience_changed>
replace_audience(store& db, batch_context& batch,
                 const replace_realm_audience& request);

/// Forgets the version that some request prepares: it is told so when it goes
/// on. Must be done before the audience gets another version. Returns whether
/// all of it is forgotten; else it is to be asked again, in another commit.
expected<bool> give_up_stage(store& db, realm_row& realm);

} // namespace weir::operations
