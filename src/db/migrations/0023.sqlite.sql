-- A question may belong to an organisation instead of a run. It climbs a ladder, one rung at a time.
DROP INDEX questions_of_run;
ALTER TABLE questions ADD COLUMN of_run TEXT REFERENCES runs (id);
UPDATE questions SET of_run = run_id;
ALTER TABLE questions DROP COLUMN run_id;
ALTER TABLE questions RENAME COLUMN of_run TO run_id;
-- Set if the question belongs to no run.
ALTER TABLE questions ADD COLUMN organisation_id INTEGER REFERENCES organisations (id) CHECK ((organisation_id IS NULL) = (run_id IS NOT NULL));
-- The playbook's own name of the question.
ALTER TABLE questions ADD COLUMN key TEXT;
-- The attempt whose report asked it: its questions are shown together.
ALTER TABLE questions ADD COLUMN attempt_id TEXT REFERENCES attempts (id);
-- The rungs that have not had it yet.
ALTER TABLE questions ADD COLUMN ladder TEXT NOT NULL DEFAULT '[]';
-- The brief of the rung that has it now; null: the operator, or nobody yet.
ALTER TABLE questions ADD COLUMN resolve_brief_id TEXT REFERENCES briefs (id);
CREATE INDEX questions_of_run ON questions (run_id, created_at, id);
CREATE INDEX questions_of_organisation ON questions (organisation_id, created_at, id) WHERE organisation_id IS NOT NULL;
CREATE INDEX questions_of_resolve_brief ON questions (resolve_brief_id) WHERE resolve_brief_id IS NOT NULL;
