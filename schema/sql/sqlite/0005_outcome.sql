CREATE TABLE outcome (
  slot INTEGER NOT NULL,
  pos INTEGER NOT NULL,
  queue TEXT NOT NULL,
  subject TEXT NOT NULL,
  result TEXT NOT NULL,
  detail TEXT NOT NULL,
  events INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (slot, pos)
) STRICT, WITHOUT ROWID;

CREATE INDEX outcome_age ON outcome (at, slot, pos);

CREATE TABLE queue_status (
  queue TEXT NOT NULL PRIMARY KEY,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  since INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  last_error_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  as_of INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
