CREATE TABLE inbound_transaction (
  appservice INTEGER NOT NULL,
  hs_txn_id BLOB NOT NULL,
  generation INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event_hashes BLOB NOT NULL,
  non_event_hashes BLOB NOT NULL,
  PRIMARY KEY (appservice, hs_txn_id, generation)
) STRICT;

-- The order in which rows are forgotten.
CREATE UNIQUE INDEX inbound_transaction_arrival
  ON inbound_transaction (appservice, arrival);

CREATE TABLE seen_event (
  appservice INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (appservice, hash)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX seen_event_arrival ON seen_event (appservice, arrival, at);
