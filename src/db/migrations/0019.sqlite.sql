-- Plans and team files whose commands the operator has read and trusts, by the hash of their text.
CREATE TABLE trusted_files (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('plan', 'team')),
  name TEXT,
  -- For comparison with a later version; null: it is too large.
  text TEXT,
  trusted_by TEXT NOT NULL,
  trusted_at TEXT NOT NULL
) STRICT;
