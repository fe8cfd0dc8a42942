CREATE TABLE inbound_transaction (
  appservice BIGINT NOT NULL,
  hs_txn_id BYTEA NOT NULL,
  generation BIGINT NOT NULL,
  arrival BIGINT NOT NULL,
  at BIGINT NOT NULL,
  event_hashes BYTEA NOT NULL,
  non_event_hashes BYTEA NOT NULL,
  PRIMARY KEY (appservice, hs_txn_id, generation)
);

-- The order in which rows are forgotten.
CREATE UNIQUE INDEX inbound_transaction_arrival
  ON inbound_transaction (appservice, arrival);

-- One row for the new events of one transaction: hashes as 8-byte words, in the
-- order of their arrival, which counts events. A row for each hash would touch
-- a page of its own for each event, ten times what the events themselves do.
CREATE TABLE seen_event (
  appservice BIGINT NOT NULL,
  arrival BIGINT NOT NULL,
  count BIGINT NOT NULL,
  at BIGINT NOT NULL,
  hashes BYTEA NOT NULL,
  PRIMARY KEY (appservice, arrival)
);
