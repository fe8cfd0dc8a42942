-- Ephemeral elements that are in no transaction yet: they come after all that
-- is owed, so they get their place in the outbox when they are pinned. `place`
-- is the appservice times 2^40 plus a number drawn from its next_seq.
CREATE TABLE waiting_ephemeral (
  place INTEGER NOT NULL PRIMARY KEY,
  subject INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  keys TEXT NOT NULL,
  bytes TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_ephemeral_subject ON waiting_ephemeral (subject, place);

ALTER TABLE appservice ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN waiting_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN merged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;

-- Device lists and key counts that a later value may be put into. An element of
-- any other lane is not in it and costs nothing.
CREATE INDEX outbox_values ON outbox (place) WHERE lane IN (3, 4);
