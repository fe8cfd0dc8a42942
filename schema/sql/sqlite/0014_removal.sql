-- Since when no configuration names the appservice. 0: one does.
ALTER TABLE appservice ADD COLUMN removed_at INTEGER NOT NULL DEFAULT 0;

-- Appservices whose rows are being deleted, or were. The row of `appservice`
-- goes first, so that its id is free for another, which is known by another
-- `no`. What is kept by the id goes up to the last that there was then. A row
-- stays when all is gone: who has that id later begins with `next_seq` and
-- `next_txn`, so that no message of before means anything to it.
CREATE TABLE removal (
  no INTEGER NOT NULL PRIMARY KEY,
  appservice TEXT NOT NULL,
  next_seq INTEGER NOT NULL,
  next_txn INTEGER NOT NULL,
  last_letter INTEGER NOT NULL,
  last_body INTEGER NOT NULL,
  last_command INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  done INTEGER NOT NULL
) STRICT;
CREATE INDEX removal_id ON removal (appservice);
CREATE INDEX removal_unfinished ON removal (no) WHERE done = 0;
