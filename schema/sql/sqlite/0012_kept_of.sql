-- What dead letters and quarantine hold of each appservice, kept with every row
-- that comes or goes, whoever writes it: /metrics asks for it at each scrape,
-- and to count the rows took as long as there were rows.
CREATE TABLE kept_of (
  appservice TEXT NOT NULL,
  kind TEXT NOT NULL,
  elements INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (appservice, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO kept_of (appservice, kind, elements, bytes)
  SELECT appservice, 'dead_letter', count(*), sum(size) FROM dead_letter
  GROUP BY appservice;
INSERT INTO kept_of (appservice, kind, elements, bytes)
  SELECT appservice, 'quarantine', count(*), sum(size) FROM quarantine
  GROUP BY appservice;

CREATE TRIGGER dead_letter_added_of AFTER INSERT ON dead_letter BEGIN
  INSERT INTO kept_of (appservice, kind, elements, bytes)
    VALUES (NEW.appservice, 'dead_letter', 1, NEW.size)
    ON CONFLICT (appservice, kind) DO UPDATE
    SET elements = elements + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER dead_letter_removed_of AFTER DELETE ON dead_letter BEGIN
  UPDATE kept_of SET elements = elements - 1, bytes = bytes - OLD.size
    WHERE appservice = OLD.appservice AND kind = 'dead_letter';
  DELETE FROM kept_of WHERE appservice = OLD.appservice
    AND kind = 'dead_letter' AND elements = 0;
END;
CREATE TRIGGER quarantine_added_of AFTER INSERT ON quarantine BEGIN
  INSERT INTO kept_of (appservice, kind, elements, bytes)
    VALUES (NEW.appservice, 'quarantine', 1, NEW.size)
    ON CONFLICT (appservice, kind) DO UPDATE
    SET elements = elements + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER quarantine_removed_of AFTER DELETE ON quarantine BEGIN
  UPDATE kept_of SET elements = elements - 1, bytes = bytes - OLD.size
    WHERE appservice = OLD.appservice AND kind = 'quarantine';
  DELETE FROM kept_of WHERE appservice = OLD.appservice
    AND kind = 'quarantine' AND elements = 0;
END;
