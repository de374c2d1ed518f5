-- Plans and team files whose commands the operator has read and trusts, by the hash of their text.
CREATE TABLE trusted_files (
  hash TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('plan', 'team')),
  name TEXT COLLATE "C",
  -- For comparison with a later version; null: it is too large.
  text TEXT COLLATE "C",
  trusted_by TEXT COLLATE "C" NOT NULL,
  trusted_at TEXT COLLATE "C" NOT NULL
);
