#include "actors/operations/kept_room.hpp"

#include "actors/policy/kept_room.hpp"
#include "schema/limits.hpp"

namespace weir::operations {

namespace {

expected<policy::kept_fill> letters_held(store& db, const appservice_id& of) {
  WEIR_TRY(const auto all, db.keep().dead_letter_bytes());
  WEIR_TRY(const auto own, db.keep().held_by(of));
  return policy::kept_fill{all, own.letters};
}

} // namespace

expected<uint64_t> letter_room(store& db, const appservice_id& of) {
  WEIR_TRY(const auto held, letters_held(db, of));
  return policy::kept_room(held, limits::dead_letter_bytes_max);
}

expected<uint64_t> overflow_letter_room(store& db, const appservice_id& of) {
  WEIR_TRY(const auto held, letters_held(db, of));
  return policy::overflow_room(held, limits::dead_letter_bytes_max);
}

expected<uint64_t> body_room(store& db, const appservice_id& of) {
  WEIR_TRY(const auto all, db.keep().quarantine_bytes());
  WEIR_TRY(const auto own, db.keep().held_by(of));
  return policy::kept_room({all, own.bodies}, limits::quarantine_bytes_max);
}

} // namespace weir::operations
