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

CREATE TABLE seen_event (
  appservice BIGINT NOT NULL,
  hash BIGINT NOT NULL,
  arrival BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (appservice, hash)
);

CREATE UNIQUE INDEX seen_event_arrival
  ON seen_event (appservice, arrival) INCLUDE (at);
