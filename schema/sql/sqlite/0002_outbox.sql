CREATE TABLE appservice (
  no INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  next_seq INTEGER NOT NULL,
  next_txn INTEGER NOT NULL,
  pin_id TEXT,
  pin_format INTEGER,
  pin_lanes TEXT,
  pin_sha256 TEXT,
  pin_events INTEGER,
  pin_others INTEGER,
  pin_bytes INTEGER,
  acked INTEGER NOT NULL,
  owed_events INTEGER NOT NULL,
  owed_others INTEGER NOT NULL,
  owed_bytes INTEGER NOT NULL,
  delivered_stream_ordering INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  paused_by INTEGER NOT NULL,
  suspect_first INTEGER NOT NULL,
  suspect_last INTEGER NOT NULL,
  byte_cap INTEGER NOT NULL,
  delivered_transactions INTEGER NOT NULL,
  delivered_events INTEGER NOT NULL
) STRICT;

-- Not WITHOUT ROWID: rows of a kilobyte and more would each spill to a page of
-- their own, which takes half of the speed.
CREATE TABLE outbox (
  appservice INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  came_with INTEGER NOT NULL,
  alone INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  id_hash INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  keys TEXT NOT NULL,
  event_id BLOB NOT NULL,
  bytes TEXT NOT NULL,
  PRIMARY KEY (appservice, seq)
) STRICT;
