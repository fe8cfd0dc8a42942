CREATE TABLE meta (
  key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

INSERT INTO meta (key, value) VALUES ('clock_offset', '0');

-- The row of a slot is updated by every batch: room on its page keeps those
-- updates off the index.
CREATE TABLE slot (
  slot BIGINT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  run BIGINT NOT NULL,
  beat BIGINT NOT NULL,
  pos BIGINT NOT NULL
) WITH (fillfactor = 10);

-- The last position of a run is known once the next run begins.
CREATE TABLE slot_run (
  slot BIGINT NOT NULL REFERENCES slot (slot),
  run BIGINT NOT NULL,
  first_pos BIGINT NOT NULL,
  last_pos BIGINT,
  PRIMARY KEY (slot, run)
);
