-- Realms: what back ends hand in for rooms, paced toward the homeserver. See
-- docs/adr/0031-rows-of-realms.md for the keys.
CREATE TABLE realm (
  no INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  next_seq INTEGER NOT NULL,
  audience_version INTEGER NOT NULL,
  audience INTEGER NOT NULL,
  staged INTEGER NOT NULL,
  stage_mark TEXT NOT NULL,
  open_events INTEGER NOT NULL,
  unbound INTEGER NOT NULL,
  open_bytes INTEGER NOT NULL,
  lossy_bytes INTEGER NOT NULL,
  unsettled INTEGER NOT NULL,
  binding INTEGER NOT NULL,
  cancelled_upto INTEGER NOT NULL,
  dead_letters INTEGER NOT NULL,
  last_over INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  merged INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  halted_at INTEGER NOT NULL,
  halted_by TEXT NOT NULL,
  halt_reason TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  -- 1 while an event is not over: changes seldom, so that an index of those
  -- with work costs nothing.
  has_work INTEGER NOT NULL
) STRICT;
CREATE INDEX realm_work ON realm (no) WHERE has_work = 1;

-- Bytes of events that are not over, by the slot that added or took them: the
-- sum is what is queued, and no two writers wait for one row.
CREATE TABLE realm_bytes (
  slot INTEGER NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;

-- A subscription holds from version added_in until before removed_in; 0: still.
CREATE TABLE realm_room (
  realm INTEGER NOT NULL,
  room TEXT NOT NULL,
  added_in INTEGER NOT NULL,
  removed_in INTEGER NOT NULL,
  suspended_at INTEGER NOT NULL,
  PRIMARY KEY (realm, room, added_in)
) STRICT, WITHOUT ROWID;
CREATE INDEX realm_room_added ON realm_room (realm, added_in);
CREATE INDEX realm_room_gone ON realm_room (realm, removed_in)
  WHERE removed_in > 0;

CREATE TABLE realm_event (
  realm INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  event_id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  part INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  request TEXT NOT NULL,
  type TEXT NOT NULL,
  class INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  rule_key TEXT NOT NULL,
  fields TEXT NOT NULL,
  size INTEGER NOT NULL,
  own_rooms INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  how INTEGER NOT NULL,
  audience_version INTEGER NOT NULL,
  bound_at INTEGER NOT NULL,
  bound_after TEXT NOT NULL,
  targets INTEGER NOT NULL,
  written INTEGER NOT NULL,
  unsettled INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  over_at INTEGER NOT NULL,
  merged_into TEXT NOT NULL,
  PRIMARY KEY (realm, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX realm_event_key ON realm_event (realm, key, part);
CREATE INDEX realm_event_open ON realm_event (realm, state, seq)
  WHERE state < 3;
-- What is not a completion expires whatever stands before it.
CREATE INDEX realm_event_due ON realm_event (realm, expires_at)
  WHERE state = 0 AND expires_at > 0 AND class > 0;
CREATE INDEX realm_event_lossy ON realm_event (realm, seq)
  WHERE state = 0 AND class = 2;
CREATE INDEX realm_event_over ON realm_event (realm, over_at)
  WHERE over_at > 0;

-- Apart, since the row of an event changes with each of its sends. Goes when
-- the event is over and nothing of it can be sent again.
CREATE TABLE realm_content (
  realm INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  content TEXT NOT NULL,
  rooms TEXT,
  PRIMARY KEY (realm, seq)
) STRICT;

CREATE TABLE realm_send (
  realm INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  room TEXT NOT NULL,
  version INTEGER NOT NULL,
  class INTEGER NOT NULL,
  bound_at INTEGER NOT NULL,
  txn TEXT NOT NULL,
  generation INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  may_be_stored INTEGER NOT NULL,
  cause TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  remote_id TEXT NOT NULL,
  over_at INTEGER NOT NULL,
  PRIMARY KEY (realm, seq, room)
) STRICT, WITHOUT ROWID;
-- Lanes: the first of a room is its head.
CREATE INDEX realm_send_lane ON realm_send (realm, room, seq)
  WHERE outcome = 0;

-- Rooms that may have been told of something that nothing has ended yet.
CREATE TABLE realm_open (
  realm INTEGER NOT NULL,
  room TEXT NOT NULL,
  PRIMARY KEY (realm, room)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  id TEXT NOT NULL PRIMARY KEY,
  not_before INTEGER NOT NULL,
  paused_by INTEGER NOT NULL,
  held_at INTEGER NOT NULL,
  held_cause TEXT NOT NULL,
  device TEXT NOT NULL
) STRICT, WITHOUT ROWID;
