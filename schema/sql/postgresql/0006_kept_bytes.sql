-- What each table holds in all, kept with every row that comes or goes, whoever
-- writes it: to add the rows up took as long as there were rows.
CREATE TABLE kept_bytes (
  kind TEXT NOT NULL PRIMARY KEY,
  bytes BIGINT NOT NULL
) WITH (fillfactor = 50);

INSERT INTO kept_bytes (kind, bytes)
  SELECT 'dead_letter', coalesce(sum(size), 0) FROM dead_letter;
INSERT INTO kept_bytes (kind, bytes)
  SELECT 'quarantine', coalesce(sum(size), 0) FROM quarantine;

CREATE FUNCTION count_kept_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE kept_bytes SET bytes = bytes + NEW.size WHERE kind = TG_TABLE_NAME;
  ELSE
    UPDATE kept_bytes SET bytes = bytes - OLD.size WHERE kind = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER dead_letter_bytes AFTER INSERT OR DELETE ON dead_letter
  FOR EACH ROW EXECUTE FUNCTION count_kept_bytes();
CREATE TRIGGER quarantine_bytes AFTER INSERT OR DELETE ON quarantine
  FOR EACH ROW EXECUTE FUNCTION count_kept_bytes();

DROP INDEX dead_letter_size;
DROP INDEX quarantine_size;
