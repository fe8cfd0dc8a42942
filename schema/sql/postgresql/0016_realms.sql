-- Realms: what back ends hand in for rooms, paced toward the homeserver. See
-- docs/adr/0031-rows-of-realms.md for the keys.
CREATE TABLE realm (
  no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  account TEXT COLLATE "C" NOT NULL,
  next_seq BIGINT NOT NULL,
  audience_version BIGINT NOT NULL,
  audience BIGINT NOT NULL,
  staged BIGINT NOT NULL,
  stage_mark TEXT NOT NULL,
  open_events BIGINT NOT NULL,
  unbound BIGINT NOT NULL,
  open_bytes BIGINT NOT NULL,
  lossy_bytes BIGINT NOT NULL,
  unsettled BIGINT NOT NULL,
  binding BIGINT NOT NULL,
  cancelled_upto BIGINT NOT NULL,
  dead_letters BIGINT NOT NULL,
  last_over BIGINT NOT NULL,
  delivered BIGINT NOT NULL,
  merged BIGINT NOT NULL,
  dropped BIGINT NOT NULL,
  halted_at BIGINT NOT NULL,
  halted_by TEXT NOT NULL,
  halt_reason TEXT NOT NULL,
  deleted_at BIGINT NOT NULL,
  -- 1 while an event is not over: changes seldom, so that an index of those
  -- with work costs nothing.
  has_work BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX realm_work ON realm (no) WHERE has_work = 1;

-- Bytes of events that are not over, by the slot that added or took them: the
-- sum is what is queued, and no two writers wait for one row.
CREATE TABLE realm_bytes (
  slot BIGINT NOT NULL PRIMARY KEY,
  bytes BIGINT NOT NULL
) WITH (fillfactor = 50);

-- A subscription holds from version added_in until before removed_in; 0: still.
CREATE TABLE realm_room (
  realm BIGINT NOT NULL,
  room TEXT COLLATE "C" NOT NULL,
  added_in BIGINT NOT NULL,
  removed_in BIGINT NOT NULL,
  suspended_at BIGINT NOT NULL,
  PRIMARY KEY (realm, room, added_in)
);
CREATE INDEX realm_room_added ON realm_room (realm, added_in);
CREATE INDEX realm_room_gone ON realm_room (realm, removed_in)
  WHERE removed_in > 0;

CREATE TABLE realm_event (
  realm BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL UNIQUE,
  key TEXT COLLATE "C" NOT NULL,
  part BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  request TEXT NOT NULL,
  type TEXT NOT NULL,
  class BIGINT NOT NULL,
  mode BIGINT NOT NULL,
  rule_key TEXT NOT NULL,
  fields TEXT NOT NULL,
  size BIGINT NOT NULL,
  own_rooms BIGINT NOT NULL,
  accepted_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  state BIGINT NOT NULL,
  how BIGINT NOT NULL,
  audience_version BIGINT NOT NULL,
  bound_at BIGINT NOT NULL,
  bound_after TEXT NOT NULL,
  targets BIGINT NOT NULL,
  written BIGINT NOT NULL,
  unsettled BIGINT NOT NULL,
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  over_at BIGINT NOT NULL,
  merged_into TEXT NOT NULL,
  PRIMARY KEY (realm, seq)
) WITH (fillfactor = 50);
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
  realm BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  content TEXT NOT NULL,
  rooms TEXT,
  PRIMARY KEY (realm, seq)
);

CREATE TABLE realm_send (
  realm BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  room TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  class BIGINT NOT NULL,
  bound_at BIGINT NOT NULL,
  txn TEXT NOT NULL,
  generation BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  may_be_stored BIGINT NOT NULL,
  cause TEXT NOT NULL,
  not_before BIGINT NOT NULL,
  outcome BIGINT NOT NULL,
  remote_id TEXT NOT NULL,
  over_at BIGINT NOT NULL,
  PRIMARY KEY (realm, seq, room)
) WITH (fillfactor = 50);
-- Lanes: the first of a room is its head.
CREATE INDEX realm_send_lane ON realm_send (realm, room, seq)
  WHERE outcome = 0;

-- Rooms that may have been told of something that nothing has ended yet.
CREATE TABLE realm_open (
  realm BIGINT NOT NULL,
  room TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (realm, room)
);

CREATE TABLE account (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  not_before BIGINT NOT NULL,
  paused_by BIGINT NOT NULL,
  held_at BIGINT NOT NULL,
  held_cause TEXT NOT NULL,
  device TEXT NOT NULL
) WITH (fillfactor = 50);
