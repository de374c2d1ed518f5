-- Runs take turns at the slots for agents. A run and its briefs have the same place in the order of claims: the priority
-- of the run, its start and its id.
ALTER TABLE runs ADD COLUMN priority TEXT COLLATE "C" NOT NULL DEFAULT 'medium' CHECK (priority IN ('low', 'medium', 'high', 'urgent'));
ALTER TABLE runs ADD COLUMN claim_order TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE briefs ADD COLUMN claim_order TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE runs SET claim_order = '2:' || started_at || ':' || id;
UPDATE briefs SET claim_order = (SELECT r.claim_order FROM runs r WHERE r.id = briefs.run_id);
INSERT INTO schema_marks (version, stream, seq) SELECT 9, stream, seq FROM streams WHERE stream LIKE 'run:%';
CREATE INDEX runs_in_order ON runs (claim_order) WHERE status = 'running';
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (claim_order, created_at, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
-- The attempts whose agents hold a slot: as many as there are slots, however many runs are open.
CREATE INDEX attempts_at_work ON attempts (run_id) WHERE status IN ('launching', 'running');
