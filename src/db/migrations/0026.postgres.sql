-- Briefs of the same run whose outputs a brief is handed beside those of the briefs that it waits for, by id.
ALTER TABLE briefs ADD COLUMN receives TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- The handed-over files that an attempt saw, with their hashes.
ALTER TABLE attempts ADD COLUMN inputs_seen TEXT COLLATE "C" NOT NULL DEFAULT '[]';
