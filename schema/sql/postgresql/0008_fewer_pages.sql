-- `place` is the appservice times 2^40 plus the seq: one number orders the
-- rows, as on SQLite, where it spares an index.
CREATE TABLE outbox_by_place (
  place BIGINT PRIMARY KEY,
  came_with BIGINT NOT NULL,
  alone BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  id_hash BIGINT NOT NULL,
  accepted_at BIGINT NOT NULL,
  keys TEXT NOT NULL,
  event_id BYTEA NOT NULL,
  bytes TEXT NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);
INSERT INTO outbox_by_place
  SELECT appservice * 1099511627776 + seq, came_with, alone, lane, id_hash,
    accepted_at, keys, event_id, bytes FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_by_place RENAME TO outbox;
