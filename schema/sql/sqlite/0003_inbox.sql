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

-- One row for the new events of one transaction: hashes as 8-byte words, in the
-- order of their arrival, which counts events. A row for each hash would touch
-- a page of its own for each event, ten times what the events themselves do.
CREATE TABLE seen_event (
  appservice INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (appservice, arrival)
) STRICT;
