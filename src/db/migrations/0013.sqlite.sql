-- The home of a worker and the identity of that home, so that a second daemon on one database can be refused.
ALTER TABLE workers ADD COLUMN home TEXT NOT NULL DEFAULT '';
ALTER TABLE workers ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
ALTER TABLE workers ADD COLUMN stopped_at TEXT;
