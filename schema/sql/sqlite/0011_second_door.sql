-- What the second door took in, by the stream orderings of the homeserver. A
-- row outlives its event, so it knows the event's place in the outbox only to
-- tell how far the delivered ones go, and which are still owed.
CREATE TABLE outbox_ordering (
  appservice INTEGER NOT NULL,
  stream_ordering INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (appservice, stream_ordering)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX outbox_ordering_seq ON outbox_ordering (appservice, seq);

ALTER TABLE appservice ADD COLUMN orderings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN ordered_seq INTEGER NOT NULL DEFAULT 0;

-- Elements given up at a bound, and the bounds that are near.
ALTER TABLE appservice ADD COLUMN overflowed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN near_bounds INTEGER NOT NULL DEFAULT 0;
