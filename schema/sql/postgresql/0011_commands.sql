-- What operators had done, each written in the commit that did it.
CREATE TABLE command (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  target TEXT NOT NULL,
  verb TEXT NOT NULL,
  by TEXT NOT NULL,
  at BIGINT NOT NULL,
  result TEXT NOT NULL
);

-- An operator's pause of a queue, until it is resumed. 0: there is none.
ALTER TABLE appservice ADD COLUMN halted_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE appservice ADD COLUMN halted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE appservice ADD COLUMN halt_reason TEXT NOT NULL DEFAULT '';

-- Since when one send is under way, told when it takes long. 0: none does.
ALTER TABLE queue_status ADD COLUMN sending_since BIGINT NOT NULL DEFAULT 0;
