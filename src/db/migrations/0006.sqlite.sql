-- An attempt is rows from its claim to its end: what its agent left behind is recorded before anything is checked.
-- A CHECK is changed by copying the table in SQLite, whose foreign keys are off during a migration, and directly in
-- PostgreSQL, where other tables depend on it.
-- only sqlite
CREATE TABLE attempts_as_rows (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  fence INTEGER NOT NULL CHECK (fence > 0),
  worker TEXT NOT NULL,
  runtime TEXT NOT NULL,
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  boxed INTEGER NOT NULL CHECK (boxed IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('launching', 'running', 'reported', 'examining', 'ended')),
  pid INTEGER,
  outcome TEXT CHECK (outcome IN ('ok', 'partial_output', 'bad_output', 'blocked', 'crash', 'timeout', 'budget', 'interrupted')),
  detail TEXT,
  report TEXT,
  prompt_sha256 TEXT,
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  created_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  cost_micros INTEGER NOT NULL DEFAULT 0 CHECK (cost_micros >= 0),
  reserved_tokens INTEGER NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0),
  reserved_micros INTEGER NOT NULL DEFAULT 0 CHECK (reserved_micros >= 0),
  session TEXT,
  exit_code INTEGER,
  used TEXT,
  denied TEXT NOT NULL DEFAULT '[]',
  outputs TEXT NOT NULL DEFAULT '[]',
  UNIQUE (brief_id, fence),
  CHECK ((status = 'ended') = (outcome IS NOT NULL))
) STRICT;
INSERT INTO attempts_as_rows SELECT id, run_id, brief_id, agent_id, fence, worker, runtime, simulated, boxed, status, pid,
  outcome, detail, report, prompt_sha256, input_tokens, output_tokens, created_at, started_at, ended_at, cost_micros,
  reserved_tokens, reserved_micros, session, exit_code, used, denied, outputs FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_as_rows RENAME TO attempts;
CREATE UNIQUE INDEX attempts_one_live ON attempts (brief_id) WHERE status <> 'ended';
CREATE INDEX attempts_of_run ON attempts (run_id, created_at);
CREATE INDEX attempts_live ON attempts (run_id, created_at, id) WHERE status <> 'ended';
-- end

-- What is left to do of an attempt whose agent has ended: the outcome so far, and why it may not be tried again.
ALTER TABLE attempts ADD COLUMN ending TEXT;
-- The question that the check of its evidence waits for.
ALTER TABLE attempts ADD COLUMN held_by TEXT;
-- Where its evidence was checked: in a fresh checkout of its commit, in a copy of its workspace, in its workspace with
-- a repository, or without a box by commands of the configuration.
ALTER TABLE attempts ADD COLUMN checked_in TEXT CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host'));
CREATE INDEX attempts_reported ON attempts (created_at, id) WHERE status = 'reported';

-- How work on a repository is checked, as the operator decided for all of its runs.
CREATE TABLE repository_settings (
  path TEXT PRIMARY KEY,
  checks TEXT NOT NULL CHECK (checks IN ('checkout', 'workspace', 'host')),
  setup TEXT,
  paths TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- The proof of a run's result: all of its evidence, checked again on the commit that is merged.
CREATE TABLE proofs (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  -- The commit that is proven.
  head TEXT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('merge', 'landing')),
  status TEXT NOT NULL CHECK (status IN ('waiting', 'passed', 'failed', 'unchecked', 'cancelled')),
  -- The gate that opens when the proof holds.
  gate TEXT,
  findings TEXT NOT NULL,
  checked_in TEXT CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host')),
  detail TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX proofs_of_run ON proofs (run_id, created_at, id);
CREATE UNIQUE INDEX proofs_one_waiting ON proofs (run_id) WHERE status = 'waiting';

-- Of a brief that mends the merged result: the proof that failed.
ALTER TABLE briefs ADD COLUMN repairs TEXT REFERENCES proofs (id);

-- The newest commit of the branch of its domain, as of its own merge.
ALTER TABLE parts ADD COLUMN domain_head TEXT;
