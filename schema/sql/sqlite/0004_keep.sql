CREATE TABLE dead_letter (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  appservice TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  id_hash INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  buried_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  keys TEXT NOT NULL,
  event_id BLOB NOT NULL,
  bytes TEXT NOT NULL,
  UNIQUE (appservice, sha256)
) STRICT;

CREATE INDEX dead_letter_page ON dead_letter (appservice, id);
CREATE INDEX dead_letter_size ON dead_letter (size);

CREATE TABLE quarantine (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  appservice TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  times INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  hs_txn_id BLOB NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (appservice, sha256)
) STRICT;

CREATE INDEX quarantine_size ON quarantine (size);
