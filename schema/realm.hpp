#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weir {

/// A named source of events, as its producer calls it; often a URL.
struct realm_id {
  std::string value;
  friend auto operator<=>(const realm_id&, const realm_id&) = default;
};
BOOST_DESCRIBE_STRUCT(realm_id, (), (value))

/// A Matrix room, `!opaque:server` or, from room version 12 on, `!opaque`.
struct room_id {
  std::string value;
  friend auto operator<=>(const room_id&, const room_id&) = default;
};
BOOST_DESCRIBE_STRUCT(room_id, (), (value))

/// How much the loss of a realm event matters, as its producer says.
enum class realm_class : uint8_t {
  completion, ///< Ends what an earlier event began: the last to be refused.
  progress,   ///< May be outdated by a later one.
  lossy,      ///< May be dropped at a bound, with an outcome that says so.
};
BOOST_DESCRIBE_ENUM(realm_class, completion, progress, lossy)

/// What the order of a realm's events binds.
enum class realm_ordering : uint8_t {
  room,  ///< Each room sees them in order; a slow room delays itself alone.
  realm, ///< No room sees an event before all rooms have seen the one before.
};
BOOST_DESCRIBE_ENUM(realm_ordering, room, realm)

/// What a new event may do to the last one that is queued.
enum class coalesce_mode : uint8_t {
  never,
  replace, ///< Its content takes the place of the other's.
  unite,   ///< Its lists join the other's. `union` in JSON.
};
BOOST_DESCRIBE_ENUM(coalesce_mode, never, replace, unite)

/// When a new event merges into the last queued one, instead of standing behind
/// it. Both have to carry the same rule.
struct coalesce_rule {
  coalesce_mode mode = coalesce_mode::never;
  std::string key;                 ///< Only events of one key merge.
  std::vector<std::string> fields; ///< Of `unite`: the lists that are joined.
  friend bool operator==(const coalesce_rule&, const coalesce_rule&) = default;
};
BOOST_DESCRIBE_STRUCT(coalesce_rule, (), (mode, key, fields))

/// Who goes first toward the homeserver.
enum class send_class : uint8_t {
  timed,       ///< A delayed event that is due.
  interactive, ///< Somebody waits for it.
  bulk,        ///< Realm events.
};
BOOST_DESCRIBE_ENUM(send_class, timed, interactive, bulk)

} // namespace weir

template <>
struct std::hash<weir::realm_id> {
  size_t operator()(const weir::realm_id& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};

template <>
struct std::hash<weir::room_id> {
  size_t operator()(const weir::room_id& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};
