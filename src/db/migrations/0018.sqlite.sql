-- Changes by an attempt that may weaken a proof, one line each.
ALTER TABLE attempts ADD COLUMN odd TEXT NOT NULL DEFAULT '[]';
-- The reason why the reports of an attempt contradict each other; null: they do not.
ALTER TABLE attempts ADD COLUMN contradiction TEXT;
-- A check may be repeated in other surroundings: each round is kept with the commit and the setup that it ran on.
CREATE TABLE checks_of_rounds (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT NOT NULL REFERENCES attempts (id),
  item INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('command', 'file', 'artifact', 'git', 'schema', 'http')),
  evidence TEXT NOT NULL,
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  detail TEXT NOT NULL,
  output TEXT NOT NULL,
  sha256 TEXT,
  boxed INTEGER NOT NULL CHECK (boxed IN (0, 1)),
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  at TEXT NOT NULL,
  round TEXT NOT NULL CHECK (round IN ('delivered', 'again', 'base_witnesses', 'before')),
  commit_id TEXT,
  setup TEXT,
  UNIQUE (attempt_id, round, item)
) STRICT;
INSERT INTO checks_of_rounds SELECT checks.*, 'delivered', NULL, NULL FROM checks;
DROP TABLE checks;
ALTER TABLE checks_of_rounds RENAME TO checks;
CREATE INDEX checks_of_run ON checks (run_id, at);
-- Whether the author of a brief chose its verification: only then it stays as it is, whatever its evidence proves.
ALTER TABLE briefs ADD COLUMN verify_fixed INTEGER NOT NULL DEFAULT 0 CHECK (verify_fixed IN (0, 1));
-- Whenever a brief is verified, Agency asks whether its run contains work that only a person may accept.
CREATE INDEX attempts_unboxed ON attempts (run_id) WHERE boxed = 0 AND simulated = 0;
CREATE INDEX attempts_odd ON attempts (run_id) WHERE odd <> '[]';

-- All evidence of a run, checked again on request, whatever the run did since.
CREATE TABLE repeats (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  -- merged: the commit that was merged; result: that of a run that is not merged; branch: the target as it is now.
  subject TEXT NOT NULL CHECK (subject IN ('merged', 'result', 'branch')),
  commit_id TEXT NOT NULL,
  -- The target branch when the repeat was requested.
  branch_commit TEXT NOT NULL,
  in_branch INTEGER NOT NULL CHECK (in_branch IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('waiting', 'passed', 'failed', 'unchecked', 'cancelled')),
  findings TEXT NOT NULL,
  checked_in TEXT CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host')),
  detail TEXT,
  requested_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX repeats_of_run ON repeats (run_id, created_at, id);
CREATE UNIQUE INDEX repeats_one_waiting ON repeats (run_id) WHERE status = 'waiting';
-- A change of a path that an agent may only propose waits for the operator at a gate.
ALTER TABLE amendments ADD COLUMN status TEXT NOT NULL DEFAULT 'applied'
  CHECK (status IN ('applied', 'proposed', 'rejected'));
ALTER TABLE amendments ADD COLUMN gate_id TEXT REFERENCES gates (id);
