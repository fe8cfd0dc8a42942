-- What the second door took in, by the stream orderings of the homeserver. A
-- row outlives its event, so it knows the event's place in the outbox only to
-- tell how far the delivered ones go, and which are still owed.
CREATE TABLE outbox_ordering (
  appservice BIGINT NOT NULL,
  stream_ordering BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (appservice, stream_ordering)
);
CREATE UNIQUE INDEX outbox_ordering_seq ON outbox_ordering (appservice, seq);

ALTER TABLE appservice ADD COLUMN orderings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN ordered_seq BIGINT NOT NULL DEFAULT 0;

-- Elements given up at a bound, and the bounds that are near.
ALTER TABLE appservice ADD COLUMN overflowed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN near_bounds BIGINT NOT NULL DEFAULT 0;
