-- A document may have an author, such as the operator, instead of an attempt that produced it.
ALTER TABLE artifacts ADD COLUMN of_brief TEXT REFERENCES briefs (id);
ALTER TABLE artifacts ADD COLUMN of_attempt TEXT REFERENCES attempts (id);
UPDATE artifacts SET of_brief = brief_id, of_attempt = attempt_id;
ALTER TABLE artifacts DROP COLUMN brief_id;
ALTER TABLE artifacts DROP COLUMN attempt_id;
ALTER TABLE artifacts RENAME COLUMN of_brief TO brief_id;
ALTER TABLE artifacts RENAME COLUMN of_attempt TO attempt_id;
-- operator, engine, or a seat as seat:<id>; null for the work of an attempt.
ALTER TABLE artifacts ADD COLUMN author TEXT CHECK ((author IS NULL) = (attempt_id IS NOT NULL));

-- An amendment of kind "plan" changes the briefs of a run; one of kind "path" the tiers of a workstream.
-- only sqlite
CREATE TABLE amendments_of_plans (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  kind TEXT NOT NULL CHECK (kind IN ('path', 'plan')),
  proposed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  workstream TEXT,
  before_path TEXT NOT NULL,
  after_path TEXT NOT NULL,
  acknowledged_by TEXT,
  at TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'proposed', 'rejected')),
  gate_id TEXT REFERENCES gates (id)
) STRICT;
INSERT INTO amendments_of_plans SELECT id, run_id, kind, proposed_by, reason, workstream, before_path, after_path,
  acknowledged_by, at, status, gate_id FROM amendments;
DROP TABLE amendments;
ALTER TABLE amendments_of_plans RENAME TO amendments;
CREATE INDEX amendments_of_run ON amendments (run_id, at);
-- end
-- Of a plan: the version that it has afterwards, from 2; the changes by kind; the keys that they touch; and the diff.
ALTER TABLE amendments ADD COLUMN version INTEGER CHECK ((version IS NULL) = (kind = 'path'));
ALTER TABLE amendments ADD COLUMN changes TEXT;
ALTER TABLE amendments ADD COLUMN touched TEXT NOT NULL DEFAULT '[]';
ALTER TABLE amendments ADD COLUMN diff TEXT;
-- Two amendments of the same version of a plan cannot both be applied.
CREATE UNIQUE INDEX amendments_by_version ON amendments (run_id, version) WHERE version IS NOT NULL AND status = 'applied';
