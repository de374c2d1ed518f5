-- Evidence learns more kinds; a CHECK is changed by copying the table, which both stores can.
CREATE TABLE checks_of_all_kinds (
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
  UNIQUE (attempt_id, item)
) STRICT;
INSERT INTO checks_of_all_kinds SELECT * FROM checks;
DROP TABLE checks;
ALTER TABLE checks_of_all_kinds RENAME TO checks;
CREATE INDEX checks_of_run ON checks (run_id, at);

ALTER TABLE runs ADD COLUMN briefs_verified INTEGER NOT NULL DEFAULT 0 CHECK (briefs_verified >= 0);
ALTER TABLE runs ADD COLUMN held_by TEXT;
ALTER TABLE runs ADD COLUMN abandoned INTEGER NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1));
ALTER TABLE runs ADD COLUMN gates_pending INTEGER NOT NULL DEFAULT 0 CHECK (gates_pending >= 0);
ALTER TABLE runs ADD COLUMN questions_open INTEGER NOT NULL DEFAULT 0 CHECK (questions_open >= 0);
ALTER TABLE runs ADD COLUMN notes_total INTEGER NOT NULL DEFAULT 0 CHECK (notes_total >= 0);
ALTER TABLE runs ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
ALTER TABLE runs ADD COLUMN unpriced_calls INTEGER NOT NULL DEFAULT 0 CHECK (unpriced_calls >= 0);

ALTER TABLE briefs ADD COLUMN kind TEXT NOT NULL DEFAULT 'work' CHECK (kind IN ('work', 'plan', 'verify'));
ALTER TABLE briefs ADD COLUMN verify TEXT NOT NULL DEFAULT 'none' CHECK (verify IN ('none', 'agent'));
ALTER TABLE briefs ADD COLUMN checkable INTEGER NOT NULL DEFAULT 1 CHECK (checkable IN (0, 1));
-- Of a verifier's brief: what it judges, and which attempt of that.
ALTER TABLE briefs ADD COLUMN verifies TEXT REFERENCES briefs (id) CHECK (verifies <> id AND (verifies IS NOT NULL) = (kind = 'verify'));
ALTER TABLE briefs ADD COLUMN verifies_attempt INTEGER CHECK (verifies_attempt > 0);
ALTER TABLE briefs ADD COLUMN verifier_id INTEGER REFERENCES personas (id) CHECK (verifier_id <> persona_id);
ALTER TABLE briefs ADD COLUMN verification_failures INTEGER NOT NULL DEFAULT 0 CHECK (verification_failures >= 0);
ALTER TABLE briefs ADD COLUMN verification_limit INTEGER NOT NULL DEFAULT 3 CHECK (verification_limit >= 0);
ALTER TABLE briefs ADD COLUMN similar_escalations INTEGER NOT NULL DEFAULT 0 CHECK (similar_escalations >= 0);
ALTER TABLE briefs ADD COLUMN remainder_of TEXT REFERENCES briefs (id) CHECK (remainder_of <> id);
ALTER TABLE briefs ADD COLUMN rejection_reason TEXT;
ALTER TABLE briefs ADD COLUMN guidance TEXT NOT NULL DEFAULT '[]';
ALTER TABLE briefs ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE briefs ADD COLUMN token_budget INTEGER CHECK (token_budget > 0);
ALTER TABLE briefs ADD COLUMN cost_limit_micros INTEGER CHECK (cost_limit_micros > 0);
ALTER TABLE briefs ADD COLUMN tokens_used INTEGER NOT NULL DEFAULT 0 CHECK (tokens_used >= 0);
ALTER TABLE briefs ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
-- One verifier at a time judges one attempt.
CREATE UNIQUE INDEX briefs_one_verifier ON briefs (verifies, verifies_attempt) WHERE verifies IS NOT NULL AND status <> 'failed' AND status <> 'cancelled';

ALTER TABLE attempts ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
ALTER TABLE attempts ADD COLUMN reserved_tokens INTEGER NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0);
ALTER TABLE attempts ADD COLUMN reserved_micros INTEGER NOT NULL DEFAULT 0 CHECK (reserved_micros >= 0);

CREATE TABLE verdicts (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  scope TEXT NOT NULL CHECK (scope IN ('brief', 'joint', 'poc')),
  attempt INTEGER NOT NULL CHECK (attempt > 0),
  doer_id INTEGER NOT NULL REFERENCES agents (id),
  doer_persona_id INTEGER NOT NULL REFERENCES personas (id),
  verifier_id INTEGER NOT NULL REFERENCES agents (id),
  verifier_persona_id INTEGER NOT NULL REFERENCES personas (id),
  verifier_brief_id TEXT NOT NULL REFERENCES briefs (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'partial', 'fail')),
  checked TEXT NOT NULL,
  missing_evidence TEXT NOT NULL,
  issues TEXT NOT NULL,
  notes TEXT NOT NULL,
  at TEXT NOT NULL,
  -- An attempt is judged once, and never by who made it. Persona 2 is the system's own: it is nobody.
  UNIQUE (brief_id, attempt, scope),
  CHECK (verifier_id <> doer_id),
  CHECK (verifier_persona_id <> doer_persona_id OR doer_persona_id = 2)
) STRICT;
CREATE INDEX verdicts_of_run ON verdicts (run_id, at);
CREATE TRIGGER verdicts_are_final BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts are never changed'); END;

CREATE TABLE gates (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  gate TEXT NOT NULL,
  approver TEXT NOT NULL,
  boundary TEXT NOT NULL,
  summary TEXT NOT NULL,
  pending_since TEXT NOT NULL,
  timeout_minutes REAL CHECK (timeout_minutes > 0),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
  note TEXT,
  reason TEXT,
  by TEXT,
  approvals_needed INTEGER NOT NULL CHECK (approvals_needed > 0),
  approvals TEXT NOT NULL,
  rejections INTEGER NOT NULL CHECK (rejections >= 0),
  decided_at TEXT,
  CHECK ((status = 'pending') = (decided_at IS NULL))
) STRICT;
-- Of one run's gates of one name and boundary, one waits at a time.
CREATE UNIQUE INDEX gates_pending ON gates (run_id, gate, boundary) WHERE status = 'pending';
CREATE INDEX gates_of_run ON gates (run_id, pending_since);
CREATE TRIGGER gates_are_decided_once BEFORE UPDATE ON gates WHEN OLD.status <> 'pending' BEGIN SELECT RAISE(ABORT, 'a decided gate is never changed'); END;

CREATE TABLE questions (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT REFERENCES briefs (id),
  note_id TEXT,
  delegation_id TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('requirement', 'technical', 'workflow', 'conflict', 'budget', 'delegation', 'failure')),
  class TEXT,
  text TEXT NOT NULL,
  context TEXT NOT NULL,
  options TEXT NOT NULL,
  recommendation TEXT,
  risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
  status TEXT NOT NULL CHECK (status IN ('open', 'with_lead', 'with_operator', 'answered', 'withdrawn')),
  answer TEXT,
  answered_by TEXT,
  asked_by TEXT NOT NULL,
  hops TEXT NOT NULL,
  current_position_id INTEGER REFERENCES positions (id) ON DELETE SET NULL,
  acknowledged_at TEXT,
  created_at TEXT NOT NULL,
  answered_at TEXT,
  CHECK ((status IN ('answered', 'withdrawn')) = (answered_at IS NOT NULL))
) STRICT;
CREATE INDEX questions_waiting ON questions (created_at, id) WHERE answered_at IS NULL;
CREATE INDEX questions_of_run ON questions (run_id, created_at, id);
CREATE INDEX questions_of_brief ON questions (brief_id);
CREATE TRIGGER questions_are_answered_once BEFORE UPDATE OF answer, status ON questions WHEN OLD.answered_at IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an answered question is never changed'); END;

CREATE TABLE notes (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT REFERENCES attempts (id),
  agent_id INTEGER REFERENCES agents (id),
  number INTEGER NOT NULL CHECK (number > 0),
  status TEXT NOT NULL CHECK (status IN ('open', 'resolved', 'escalated')),
  category TEXT CHECK (category IN ('technology', 'architecture', 'security', 'requirements', 'conflict', 'consistency', 'bug', 'implementation', 'documentation')),
  description TEXT NOT NULL,
  context TEXT NOT NULL,
  resolution TEXT,
  resolved_by TEXT CHECK (resolved_by IN ('agent_self', 'workflow_executor', 'user')),
  resolution_source TEXT CHECK (resolution_source IN ('agent', 'owner', 'solution_architect', 'escalation_resolution', 'lead', 'operator')),
  escalation_reason TEXT,
  question_id TEXT REFERENCES questions (id),
  extra TEXT NOT NULL,
  created_at TEXT NOT NULL,
  resolved_at TEXT,
  UNIQUE (run_id, number),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL AND resolution IS NOT NULL AND resolved_by IS NOT NULL)),
  CHECK (status <> 'escalated' OR escalation_reason IS NOT NULL)
) STRICT;
CREATE INDEX notes_of_brief ON notes (brief_id, number);

-- What a model call cost. Null: no price is known for it.
CREATE TABLE spends (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  mission_id TEXT NOT NULL REFERENCES missions (id),
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT NOT NULL REFERENCES attempts (id),
  persona_id INTEGER NOT NULL REFERENCES personas (id),
  provider TEXT,
  model TEXT,
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  cache_read_tokens INTEGER NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
  cost_micros INTEGER CHECK (cost_micros >= 0),
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  at TEXT NOT NULL
) STRICT;
CREATE INDEX spends_of_run ON spends (run_id, at);
CREATE INDEX spends_of_organisation ON spends (organisation_id, at);

-- The budgets above a brief's own. Streams: a run's is its run's, an organisation's and its missions' the organisation's, a persona's the system's.
CREATE TABLE budgets (
  scope TEXT NOT NULL CHECK (scope IN ('run', 'mission', 'persona', 'organisation')),
  scope_id TEXT NOT NULL,
  organisation_id INTEGER REFERENCES organisations (id),
  token_limit INTEGER CHECK (token_limit > 0),
  cost_limit_micros INTEGER CHECK (cost_limit_micros > 0),
  tokens_spent INTEGER NOT NULL CHECK (tokens_spent >= 0),
  micros_spent INTEGER NOT NULL CHECK (micros_spent >= 0),
  tokens_reserved INTEGER NOT NULL CHECK (tokens_reserved >= 0),
  micros_reserved INTEGER NOT NULL CHECK (micros_reserved >= 0),
  warned INTEGER NOT NULL CHECK (warned IN (0, 1)),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (scope, scope_id)
) STRICT;

-- While a row is here, nothing is launched: everywhere ('all') or in one organisation ('org:1').
CREATE TABLE stops (
  scope TEXT PRIMARY KEY,
  organisation_id INTEGER REFERENCES organisations (id),
  reason TEXT NOT NULL,
  by TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;

-- A provider that said "later": nothing is launched on it until then.
CREATE TABLE provider_holds (
  provider TEXT PRIMARY KEY,
  until TEXT NOT NULL,
  reason TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  run_id TEXT REFERENCES runs (id),
  organisation_id INTEGER REFERENCES organisations (id),
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  actions TEXT NOT NULL,
  link TEXT,
  object TEXT NOT NULL,
  state TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'sent', 'failed')),
  deliveries TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (object, state, audience)
) STRICT;
CREATE INDEX notifications_by_age ON notifications (created_at);
