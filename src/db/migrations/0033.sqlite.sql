-- The ended run whose work a run continues or begins with.
ALTER TABLE runs ADD COLUMN continues TEXT REFERENCES runs (id);
CREATE INDEX runs_continuing ON runs (continues) WHERE continues IS NOT NULL;
