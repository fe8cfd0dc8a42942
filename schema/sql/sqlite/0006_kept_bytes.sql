-- What each table holds in all, kept with every row that comes or goes, whoever
-- writes it: to add the rows up took as long as there were rows.
CREATE TABLE kept_bytes (
  kind TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO kept_bytes (kind, bytes)
  SELECT 'dead_letter', coalesce(sum(size), 0) FROM dead_letter;
INSERT INTO kept_bytes (kind, bytes)
  SELECT 'quarantine', coalesce(sum(size), 0) FROM quarantine;

CREATE TRIGGER dead_letter_added AFTER INSERT ON dead_letter BEGIN
  UPDATE kept_bytes SET bytes = bytes + NEW.size WHERE kind = 'dead_letter';
END;
CREATE TRIGGER dead_letter_removed AFTER DELETE ON dead_letter BEGIN
  UPDATE kept_bytes SET bytes = bytes - OLD.size WHERE kind = 'dead_letter';
END;
CREATE TRIGGER quarantine_added AFTER INSERT ON quarantine BEGIN
  UPDATE kept_bytes SET bytes = bytes + NEW.size WHERE kind = 'quarantine';
END;
CREATE TRIGGER quarantine_removed AFTER DELETE ON quarantine BEGIN
  UPDATE kept_bytes SET bytes = bytes - OLD.size WHERE kind = 'quarantine';
END;

DROP INDEX dead_letter_size;
DROP INDEX quarantine_size;
