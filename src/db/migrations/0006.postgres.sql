-- An attempt is rows from its claim to its end: what its agent left behind is recorded before anything is checked.
-- A CHECK is changed by copying the table in SQLite, whose foreign keys are off during a migration, and directly in
-- PostgreSQL, where other tables depend on it.
-- only postgres
ALTER TABLE attempts DROP CONSTRAINT attempts_status_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_status_check CHECK (status IN ('launching', 'running', 'reported', 'examining', 'ended'));
-- end

-- What is left to do of an attempt whose agent has ended: the outcome so far, and why it may not be tried again.
ALTER TABLE attempts ADD COLUMN ending TEXT COLLATE "C";
-- The question that the check of its evidence waits for.
ALTER TABLE attempts ADD COLUMN held_by TEXT COLLATE "C";
-- Where its evidence was checked: in a fresh checkout of its commit, in a copy of its workspace, in its workspace with
-- a repository, or without a box by commands of the configuration.
ALTER TABLE attempts ADD COLUMN checked_in TEXT COLLATE "C" CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host'));
CREATE INDEX attempts_reported ON attempts (created_at, id) WHERE status = 'reported';

-- How work on a repository is checked, as the operator decided for all of its runs.
CREATE TABLE repository_settings (
  path TEXT COLLATE "C" PRIMARY KEY,
  checks TEXT COLLATE "C" NOT NULL CHECK (checks IN ('checkout', 'workspace', 'host')),
  setup TEXT COLLATE "C",
  paths TEXT COLLATE "C" NOT NULL,
  updated_by TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

-- The proof of a run's result: all of its evidence, checked again on the commit that is merged.
CREATE TABLE proofs (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  -- The commit that is proven.
  head TEXT COLLATE "C" NOT NULL,
  cause TEXT COLLATE "C" NOT NULL CHECK (cause IN ('merge', 'landing')),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'passed', 'failed', 'unchecked', 'cancelled')),
  -- The gate that opens when the proof holds.
  gate TEXT COLLATE "C",
  findings TEXT COLLATE "C" NOT NULL,
  checked_in TEXT COLLATE "C" CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host')),
  detail TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C"
);
CREATE INDEX proofs_of_run ON proofs (run_id, created_at, id);
CREATE UNIQUE INDEX proofs_one_waiting ON proofs (run_id) WHERE status = 'waiting';

-- Of a brief that mends the merged result: the proof that failed.
ALTER TABLE briefs ADD COLUMN repairs TEXT COLLATE "C" REFERENCES proofs (id);

-- The newest commit of the branch of its domain, as of its own merge.
ALTER TABLE parts ADD COLUMN domain_head TEXT COLLATE "C";
