-- Which transaction the state of a queue is about, and what was said of its
-- last failure: whoever serves the queue next goes on with it.
ALTER TABLE queue_status ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE queue_status ADD COLUMN last_error_text TEXT NOT NULL DEFAULT '';
