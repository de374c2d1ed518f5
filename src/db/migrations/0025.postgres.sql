-- A document may have an author, such as the operator, instead of an attempt that produced it.
ALTER TABLE artifacts ADD COLUMN of_brief TEXT COLLATE "C" REFERENCES briefs (id);
ALTER TABLE artifacts ADD COLUMN of_attempt TEXT COLLATE "C" REFERENCES attempts (id);
UPDATE artifacts SET of_brief = brief_id, of_attempt = attempt_id;
ALTER TABLE artifacts DROP COLUMN brief_id;
ALTER TABLE artifacts DROP COLUMN attempt_id;
ALTER TABLE artifacts RENAME COLUMN of_brief TO brief_id;
ALTER TABLE artifacts RENAME COLUMN of_attempt TO attempt_id;
-- operator, engine, or a seat as seat:<id>; null for the work of an attempt.
ALTER TABLE artifacts ADD COLUMN author TEXT COLLATE "C" CHECK ((author IS NULL) = (attempt_id IS NOT NULL));

-- An amendment of kind "plan" changes the briefs of a run; one of kind "path" the tiers of a workstream.
-- only postgres
ALTER TABLE amendments DROP CONSTRAINT amendments_kind_check;
ALTER TABLE amendments ADD CONSTRAINT amendments_kind_check CHECK (kind IN ('path', 'plan'));
ALTER TABLE amendments ALTER COLUMN workstream DROP NOT NULL;
-- end
-- Of a plan: the version that it has afterwards, from 2; the changes by kind; the keys that they touch; and the diff.
ALTER TABLE amendments ADD COLUMN version BIGINT CHECK ((version IS NULL) = (kind = 'path'));
ALTER TABLE amendments ADD COLUMN changes TEXT COLLATE "C";
ALTER TABLE amendments ADD COLUMN touched TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE amendments ADD COLUMN diff TEXT COLLATE "C";
-- Two amendments of the same version of a plan cannot both be applied.
CREATE UNIQUE INDEX amendments_by_version ON amendments (run_id, version) WHERE version IS NOT NULL AND status = 'applied';
