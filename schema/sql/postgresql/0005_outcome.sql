CREATE TABLE outcome (
  slot BIGINT NOT NULL,
  pos BIGINT NOT NULL,
  queue TEXT NOT NULL,
  subject TEXT NOT NULL,
  result TEXT NOT NULL,
  detail TEXT NOT NULL,
  events BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (slot, pos)
);

CREATE INDEX outcome_age ON outcome (at, slot, pos);

CREATE TABLE queue_status (
  queue TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  since BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  last_error TEXT NOT NULL,
  last_error_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  as_of BIGINT NOT NULL
) WITH (fillfactor = 50);
