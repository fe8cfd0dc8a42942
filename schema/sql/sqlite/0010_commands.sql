-- What operators had done, each written in the commit that did it.
CREATE TABLE command (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL,
  verb TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL,
  result TEXT NOT NULL
) STRICT;

-- An operator's pause of a queue, until it is resumed. 0: there is none.
ALTER TABLE appservice ADD COLUMN halted_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN halted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE appservice ADD COLUMN halt_reason TEXT NOT NULL DEFAULT '';

-- Since when one send is under way, told when it takes long. 0: none does.
ALTER TABLE queue_status ADD COLUMN sending_since INTEGER NOT NULL DEFAULT 0;
