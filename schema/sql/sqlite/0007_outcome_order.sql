-- Counts the rows of a slot without gaps, which positions do not: the first and
-- the last row tell how many there are. Rows go in the order of positions, so
-- they need no index by age.
ALTER TABLE outcome ADD COLUMN nth INTEGER NOT NULL DEFAULT 0;

UPDATE outcome SET nth = counted.nth
  FROM (SELECT slot, pos, row_number() OVER (PARTITION BY slot ORDER BY pos)
          AS nth FROM outcome) AS counted
  WHERE outcome.slot = counted.slot AND outcome.pos = counted.pos;

DROP INDEX outcome_age;
