-- What dead letters and quarantine hold of each appservice, kept with every row
-- that comes or goes, whoever writes it: /metrics asks for it at each scrape,
-- and to count the rows took as long as there were rows.
CREATE TABLE kept_of (
  appservice TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  elements BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (appservice, kind)
) WITH (fillfactor = 50);

INSERT INTO kept_of (appservice, kind, elements, bytes)
  SELECT appservice, 'dead_letter', count(*), sum(size) FROM dead_letter
  GROUP BY appservice;
INSERT INTO kept_of (appservice, kind, elements, bytes)
  SELECT appservice, 'quarantine', count(*), sum(size) FROM quarantine
  GROUP BY appservice;

CREATE FUNCTION count_kept_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_of AS k (appservice, kind, elements, bytes)
    VALUES (NEW.appservice, TG_TABLE_NAME, 1, NEW.size)
    ON CONFLICT (appservice, kind) DO UPDATE
    SET elements = k.elements + 1, bytes = k.bytes + excluded.bytes;
  RETURN NULL;
END
$$;

-- A statement at a time, in one order of rows, for the reasons of migration 9.
CREATE FUNCTION count_gone_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE kept_of AS k
    SET elements = k.elements - g.elements, bytes = k.bytes - g.bytes
    FROM (SELECT appservice, count(*) AS elements, sum(size) AS bytes
          FROM gone GROUP BY appservice) AS g
    WHERE k.appservice = g.appservice AND k.kind = TG_TABLE_NAME;
  DELETE FROM kept_of AS k USING (SELECT DISTINCT appservice FROM gone) AS g
    WHERE k.appservice = g.appservice AND k.kind = TG_TABLE_NAME
    AND k.elements = 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_all_gone_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM kept_of WHERE kind = TG_TABLE_NAME;
  RETURN NULL;
END
$$;

CREATE TRIGGER dead_letter_added_of AFTER INSERT ON dead_letter
  FOR EACH ROW EXECUTE FUNCTION count_kept_of();
CREATE TRIGGER dead_letter_removed_of AFTER DELETE ON dead_letter
  REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_gone_of();
CREATE TRIGGER dead_letter_emptied_of AFTER TRUNCATE ON dead_letter
  FOR EACH STATEMENT EXECUTE FUNCTION count_all_gone_of();

CREATE TRIGGER quarantine_added_of AFTER INSERT ON quarantine
  FOR EACH ROW EXECUTE FUNCTION count_kept_of();
CREATE TRIGGER quarantine_removed_of AFTER DELETE ON quarantine
  REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_gone_of();
CREATE TRIGGER quarantine_emptied_of AFTER TRUNCATE ON quarantine
  FOR EACH STATEMENT EXECUTE FUNCTION count_all_gone_of();
