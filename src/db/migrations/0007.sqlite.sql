-- The last event of each stream that was written before a migration which changed the shape of rows: a replay of the
-- stream applies the same change when it has passed that event.
CREATE TABLE schema_marks (
  version INTEGER NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  PRIMARY KEY (version, stream)
) STRICT;
