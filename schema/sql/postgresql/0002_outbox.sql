CREATE TABLE appservice (
  no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  next_seq BIGINT NOT NULL,
  next_txn BIGINT NOT NULL,
  pin_id TEXT,
  pin_format BIGINT,
  pin_lanes TEXT,
  pin_sha256 TEXT,
  pin_events BIGINT,
  pin_others BIGINT,
  pin_bytes BIGINT,
  acked BIGINT NOT NULL,
  owed_events BIGINT NOT NULL,
  owed_others BIGINT NOT NULL,
  owed_bytes BIGINT NOT NULL,
  delivered_stream_ordering BIGINT NOT NULL,
  not_before BIGINT NOT NULL,
  paused_by BIGINT NOT NULL,
  suspect_first BIGINT NOT NULL,
  suspect_last BIGINT NOT NULL,
  byte_cap BIGINT NOT NULL,
  delivered_transactions BIGINT NOT NULL,
  delivered_events BIGINT NOT NULL
) WITH (fillfactor = 50);

-- No foreign key: it would take a lock on the appservice for each row. The
-- writer holds that row anyway. A queue's rows come and go all day, so dead
-- ones are collected early.
CREATE TABLE outbox (
  appservice BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  came_with BIGINT NOT NULL,
  alone BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  id_hash BIGINT NOT NULL,
  accepted_at BIGINT NOT NULL,
  keys TEXT NOT NULL,
  event_id BYTEA NOT NULL,
  bytes TEXT NOT NULL,
  PRIMARY KEY (appservice, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
