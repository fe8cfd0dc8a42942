CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('clock_offset', '0');

CREATE TABLE slot (
  slot INTEGER NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  run INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  pos INTEGER NOT NULL
) STRICT;

-- The last position of a run is known once the next run begins.
CREATE TABLE slot_run (
  slot INTEGER NOT NULL REFERENCES slot (slot),
  run INTEGER NOT NULL,
  first_pos INTEGER NOT NULL,
  last_pos INTEGER,
  PRIMARY KEY (slot, run)
) STRICT, WITHOUT ROWID;
