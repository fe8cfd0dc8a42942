-- Up to which position rows of the feed have been forgotten: a token that is
-- behind would skip them. No token is older than this table.
CREATE TABLE outcome_forgotten (
  slot INTEGER NOT NULL PRIMARY KEY,
  pos INTEGER NOT NULL
) STRICT;
