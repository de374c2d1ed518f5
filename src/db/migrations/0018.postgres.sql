-- Changes by an attempt that may weaken a proof, one line each.
ALTER TABLE attempts ADD COLUMN odd TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- The reason why the reports of an attempt contradict each other; null: they do not.
ALTER TABLE attempts ADD COLUMN contradiction TEXT COLLATE "C";
-- A check may be repeated in other surroundings: each round is kept with the commit and the setup that it ran on.
CREATE TABLE checks_of_rounds (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" NOT NULL REFERENCES attempts (id),
  item BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('command', 'file', 'artifact', 'git', 'schema', 'http')),
  evidence TEXT COLLATE "C" NOT NULL,
  passed BIGINT NOT NULL CHECK (passed IN (0, 1)),
  detail TEXT COLLATE "C" NOT NULL,
  output TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C",
  boxed BIGINT NOT NULL CHECK (boxed IN (0, 1)),
  duration_ms BIGINT NOT NULL CHECK (duration_ms >= 0),
  at TEXT COLLATE "C" NOT NULL,
  round TEXT COLLATE "C" NOT NULL CHECK (round IN ('delivered', 'again', 'base_witnesses', 'before')),
  commit_id TEXT COLLATE "C",
  setup TEXT COLLATE "C",
  UNIQUE (attempt_id, round, item)
);
INSERT INTO checks_of_rounds SELECT checks.*, 'delivered', NULL, NULL FROM checks;
DROP TABLE checks;
ALTER TABLE checks_of_rounds RENAME TO checks;
CREATE INDEX checks_of_run ON checks (run_id, at);
-- Whether the author of a brief chose its verification: only then it stays as it is, whatever its evidence proves.
ALTER TABLE briefs ADD COLUMN verify_fixed BIGINT NOT NULL DEFAULT 0 CHECK (verify_fixed IN (0, 1));
-- Whenever a brief is verified, Agency asks whether its run contains work that only a person may accept.
CREATE INDEX attempts_unboxed ON attempts (run_id) WHERE boxed = 0 AND simulated = 0;
CREATE INDEX attempts_odd ON attempts (run_id) WHERE odd <> '[]';

-- All evidence of a run, checked again on request, whatever the run did since.
CREATE TABLE repeats (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  -- merged: the commit that was merged; result: that of a run that is not merged; branch: the target as it is now.
  subject TEXT COLLATE "C" NOT NULL CHECK (subject IN ('merged', 'result', 'branch')),
  commit_id TEXT COLLATE "C" NOT NULL,
  -- The target branch when the repeat was requested.
  branch_commit TEXT COLLATE "C" NOT NULL,
  in_branch BIGINT NOT NULL CHECK (in_branch IN (0, 1)),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'passed', 'failed', 'unchecked', 'cancelled')),
  findings TEXT COLLATE "C" NOT NULL,
  checked_in TEXT COLLATE "C" CHECK (checked_in IN ('checkout', 'copy', 'workspace', 'host')),
  detail TEXT COLLATE "C",
  requested_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C"
);
CREATE INDEX repeats_of_run ON repeats (run_id, created_at, id);
CREATE UNIQUE INDEX repeats_one_waiting ON repeats (run_id) WHERE status = 'waiting';
-- A change of a path that an agent may only propose waits for the operator at a gate.
ALTER TABLE amendments ADD COLUMN status TEXT COLLATE "C" NOT NULL DEFAULT 'applied'
  CHECK (status IN ('applied', 'proposed', 'rejected'));
ALTER TABLE amendments ADD COLUMN gate_id TEXT COLLATE "C" REFERENCES gates (id);
