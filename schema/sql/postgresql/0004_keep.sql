CREATE TABLE dead_letter (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  appservice TEXT COLLATE "C" NOT NULL,
  sha256 TEXT NOT NULL,
  size BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  id_hash BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  accepted_at BIGINT NOT NULL,
  buried_at BIGINT NOT NULL,
  reason TEXT NOT NULL,
  keys TEXT NOT NULL,
  event_id BYTEA NOT NULL,
  bytes TEXT NOT NULL,
  UNIQUE (appservice, sha256)
);

CREATE INDEX dead_letter_page ON dead_letter (appservice, id);
CREATE INDEX dead_letter_size ON dead_letter (size);

CREATE TABLE quarantine (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  appservice TEXT COLLATE "C" NOT NULL,
  sha256 TEXT NOT NULL,
  size BIGINT NOT NULL,
  times BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  reason TEXT NOT NULL,
  hs_txn_id BYTEA NOT NULL,
  body BYTEA NOT NULL,
  UNIQUE (appservice, sha256)
);

CREATE INDEX quarantine_size ON quarantine (size);
