-- Each commit writes whole pages, and for a single event they are most of what
-- it writes. These tables are stored in the order in which they are read, so
-- that an accept changes one page of each and not one more for an index.

-- `place` is the appservice times 2^40 plus the seq. A rowid table, since rows
-- of a kilobyte and more would spill from any other.
CREATE TABLE outbox_by_place (
  place INTEGER NOT NULL PRIMARY KEY,
  came_with INTEGER NOT NULL,
  alone INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  id_hash INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  keys TEXT NOT NULL,
  event_id BLOB NOT NULL,
  bytes TEXT NOT NULL
) STRICT;
INSERT INTO outbox_by_place
  SELECT appservice * 1099511627776 + seq, came_with, alone, lane, id_hash,
    accepted_at, keys, event_id, bytes FROM outbox ORDER BY appservice, seq;
DROP TABLE outbox;
ALTER TABLE outbox_by_place RENAME TO outbox;

-- In the order in which rows are forgotten.
CREATE TABLE inbound_by_arrival (
  appservice INTEGER NOT NULL,
  hs_txn_id BLOB NOT NULL,
  generation INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event_hashes BLOB NOT NULL,
  non_event_hashes BLOB NOT NULL,
  PRIMARY KEY (appservice, arrival)
) STRICT, WITHOUT ROWID;
INSERT INTO inbound_by_arrival
  SELECT appservice, hs_txn_id, generation, arrival, at, event_hashes,
    non_event_hashes FROM inbound_transaction ORDER BY appservice, arrival;
DROP TABLE inbound_transaction;
ALTER TABLE inbound_by_arrival RENAME TO inbound_transaction;
CREATE UNIQUE INDEX inbound_transaction_id
  ON inbound_transaction (appservice, hs_txn_id, generation);

CREATE TABLE seen_by_arrival (
  appservice INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (appservice, arrival)
) STRICT, WITHOUT ROWID;
INSERT INTO seen_by_arrival
  SELECT appservice, arrival, count, at, hashes FROM seen_event
  ORDER BY appservice, arrival;
DROP TABLE seen_event;
ALTER TABLE seen_by_arrival RENAME TO seen_event;
