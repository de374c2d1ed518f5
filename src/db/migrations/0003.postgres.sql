-- Evidence learns more kinds; a CHECK is changed by copying the table, which both stores can.
CREATE TABLE checks_of_all_kinds (
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
  UNIQUE (attempt_id, item)
);
INSERT INTO checks_of_all_kinds SELECT * FROM checks;
DROP TABLE checks;
ALTER TABLE checks_of_all_kinds RENAME TO checks;
CREATE INDEX checks_of_run ON checks (run_id, at);

ALTER TABLE runs ADD COLUMN briefs_verified BIGINT NOT NULL DEFAULT 0 CHECK (briefs_verified >= 0);
ALTER TABLE runs ADD COLUMN held_by TEXT COLLATE "C";
ALTER TABLE runs ADD COLUMN abandoned BIGINT NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1));
ALTER TABLE runs ADD COLUMN gates_pending BIGINT NOT NULL DEFAULT 0 CHECK (gates_pending >= 0);
ALTER TABLE runs ADD COLUMN questions_open BIGINT NOT NULL DEFAULT 0 CHECK (questions_open >= 0);
ALTER TABLE runs ADD COLUMN notes_total BIGINT NOT NULL DEFAULT 0 CHECK (notes_total >= 0);
ALTER TABLE runs ADD COLUMN cost_micros BIGINT NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
ALTER TABLE runs ADD COLUMN unpriced_calls BIGINT NOT NULL DEFAULT 0 CHECK (unpriced_calls >= 0);

ALTER TABLE briefs ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'work' CHECK (kind IN ('work', 'plan', 'verify'));
ALTER TABLE briefs ADD COLUMN verify TEXT COLLATE "C" NOT NULL DEFAULT 'none' CHECK (verify IN ('none', 'agent'));
ALTER TABLE briefs ADD COLUMN checkable BIGINT NOT NULL DEFAULT 1 CHECK (checkable IN (0, 1));
-- Of a verifier's brief: what it judges, and which attempt of that.
ALTER TABLE briefs ADD COLUMN verifies TEXT COLLATE "C" REFERENCES briefs (id) CHECK (verifies <> id AND (verifies IS NOT NULL) = (kind = 'verify'));
ALTER TABLE briefs ADD COLUMN verifies_attempt BIGINT CHECK (verifies_attempt > 0);
ALTER TABLE briefs ADD COLUMN verifier_id BIGINT REFERENCES personas (id) CHECK (verifier_id <> persona_id);
ALTER TABLE briefs ADD COLUMN verification_failures BIGINT NOT NULL DEFAULT 0 CHECK (verification_failures >= 0);
ALTER TABLE briefs ADD COLUMN verification_limit BIGINT NOT NULL DEFAULT 3 CHECK (verification_limit >= 0);
ALTER TABLE briefs ADD COLUMN similar_escalations BIGINT NOT NULL DEFAULT 0 CHECK (similar_escalations >= 0);
ALTER TABLE briefs ADD COLUMN remainder_of TEXT COLLATE "C" REFERENCES briefs (id) CHECK (remainder_of <> id);
ALTER TABLE briefs ADD COLUMN rejection_reason TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN guidance TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE briefs ADD COLUMN provider TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE briefs ADD COLUMN token_budget BIGINT CHECK (token_budget > 0);
ALTER TABLE briefs ADD COLUMN cost_limit_micros BIGINT CHECK (cost_limit_micros > 0);
ALTER TABLE briefs ADD COLUMN tokens_used BIGINT NOT NULL DEFAULT 0 CHECK (tokens_used >= 0);
ALTER TABLE briefs ADD COLUMN cost_micros BIGINT NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
-- One verifier at a time judges one attempt.
CREATE UNIQUE INDEX briefs_one_verifier ON briefs (verifies, verifies_attempt) WHERE verifies IS NOT NULL AND status <> 'failed' AND status <> 'cancelled';

ALTER TABLE attempts ADD COLUMN cost_micros BIGINT NOT NULL DEFAULT 0 CHECK (cost_micros >= 0);
ALTER TABLE attempts ADD COLUMN reserved_tokens BIGINT NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0);
ALTER TABLE attempts ADD COLUMN reserved_micros BIGINT NOT NULL DEFAULT 0 CHECK (reserved_micros >= 0);

CREATE TABLE verdicts (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('brief', 'joint', 'poc')),
  attempt BIGINT NOT NULL CHECK (attempt > 0),
  doer_id BIGINT NOT NULL REFERENCES agents (id),
  doer_persona_id BIGINT NOT NULL REFERENCES personas (id),
  verifier_id BIGINT NOT NULL REFERENCES agents (id),
  verifier_persona_id BIGINT NOT NULL REFERENCES personas (id),
  verifier_brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  verdict TEXT COLLATE "C" NOT NULL CHECK (verdict IN ('pass', 'partial', 'fail')),
  checked TEXT COLLATE "C" NOT NULL,
  missing_evidence TEXT COLLATE "C" NOT NULL,
  issues TEXT COLLATE "C" NOT NULL,
  notes TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  -- An attempt is judged once, and never by who made it. Persona 2 is the system's own: it is nobody.
  UNIQUE (brief_id, attempt, scope),
  CHECK (verifier_id <> doer_id),
  CHECK (verifier_persona_id <> doer_persona_id OR doer_persona_id = 2)
);
CREATE INDEX verdicts_of_run ON verdicts (run_id, at);
CREATE TRIGGER verdicts_are_final BEFORE UPDATE ON verdicts FOR EACH ROW EXECUTE FUNCTION refuse('verdicts are never changed');

CREATE TABLE gates (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  gate TEXT COLLATE "C" NOT NULL,
  approver TEXT COLLATE "C" NOT NULL,
  boundary TEXT COLLATE "C" NOT NULL,
  summary TEXT COLLATE "C" NOT NULL,
  pending_since TEXT COLLATE "C" NOT NULL,
  timeout_minutes DOUBLE PRECISION CHECK (timeout_minutes > 0),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
  note TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  by TEXT COLLATE "C",
  approvals_needed BIGINT NOT NULL CHECK (approvals_needed > 0),
  approvals TEXT COLLATE "C" NOT NULL,
  rejections BIGINT NOT NULL CHECK (rejections >= 0),
  decided_at TEXT COLLATE "C",
  CHECK ((status = 'pending') = (decided_at IS NULL))
);
-- Of one run's gates of one name and boundary, one waits at a time.
CREATE UNIQUE INDEX gates_pending ON gates (run_id, gate, boundary) WHERE status = 'pending';
CREATE INDEX gates_of_run ON gates (run_id, pending_since);
CREATE TRIGGER gates_are_decided_once BEFORE UPDATE ON gates FOR EACH ROW
WHEN (OLD.status <> 'pending') EXECUTE FUNCTION refuse('a decided gate is never changed');

CREATE TABLE questions (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" REFERENCES briefs (id),
  note_id TEXT COLLATE "C",
  delegation_id TEXT COLLATE "C",
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('requirement', 'technical', 'workflow', 'conflict', 'budget', 'delegation', 'failure')),
  class TEXT COLLATE "C",
  text TEXT COLLATE "C" NOT NULL,
  context TEXT COLLATE "C" NOT NULL,
  options TEXT COLLATE "C" NOT NULL,
  recommendation TEXT COLLATE "C",
  risk TEXT COLLATE "C" NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'with_lead', 'with_operator', 'answered', 'withdrawn')),
  answer TEXT COLLATE "C",
  answered_by TEXT COLLATE "C",
  asked_by TEXT COLLATE "C" NOT NULL,
  hops TEXT COLLATE "C" NOT NULL,
  current_position_id BIGINT REFERENCES positions (id) ON DELETE SET NULL,
  acknowledged_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  answered_at TEXT COLLATE "C",
  CHECK ((status IN ('answered', 'withdrawn')) = (answered_at IS NOT NULL))
);
CREATE INDEX questions_waiting ON questions (created_at, id) WHERE answered_at IS NULL;
CREATE INDEX questions_of_run ON questions (run_id, created_at, id);
CREATE INDEX questions_of_brief ON questions (brief_id);
CREATE TRIGGER questions_are_answered_once BEFORE UPDATE OF answer, status ON questions FOR EACH ROW
WHEN (OLD.answered_at IS NOT NULL) EXECUTE FUNCTION refuse('an answered question is never changed');

CREATE TABLE notes (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" REFERENCES attempts (id),
  agent_id BIGINT REFERENCES agents (id),
  number BIGINT NOT NULL CHECK (number > 0),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'resolved', 'escalated')),
  category TEXT COLLATE "C" CHECK (category IN ('technology', 'architecture', 'security', 'requirements', 'conflict', 'consistency', 'bug', 'implementation', 'documentation')),
  description TEXT COLLATE "C" NOT NULL,
  context TEXT COLLATE "C" NOT NULL,
  resolution TEXT COLLATE "C",
  resolved_by TEXT COLLATE "C" CHECK (resolved_by IN ('agent_self', 'workflow_executor', 'user')),
  resolution_source TEXT COLLATE "C" CHECK (resolution_source IN ('agent', 'owner', 'solution_architect', 'escalation_resolution', 'lead', 'operator')),
  escalation_reason TEXT COLLATE "C",
  question_id TEXT COLLATE "C" REFERENCES questions (id),
  extra TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  resolved_at TEXT COLLATE "C",
  UNIQUE (run_id, number),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL AND resolution IS NOT NULL AND resolved_by IS NOT NULL)),
  CHECK (status <> 'escalated' OR escalation_reason IS NOT NULL)
);
CREATE INDEX notes_of_brief ON notes (brief_id, number);

-- What a model call cost. Null: no price is known for it.
CREATE TABLE spends (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  mission_id TEXT COLLATE "C" NOT NULL REFERENCES missions (id),
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" NOT NULL REFERENCES attempts (id),
  persona_id BIGINT NOT NULL REFERENCES personas (id),
  provider TEXT COLLATE "C",
  model TEXT COLLATE "C",
  input_tokens BIGINT NOT NULL CHECK (input_tokens >= 0),
  output_tokens BIGINT NOT NULL CHECK (output_tokens >= 0),
  cache_read_tokens BIGINT NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_tokens BIGINT NOT NULL CHECK (cache_write_tokens >= 0),
  cost_micros BIGINT CHECK (cost_micros >= 0),
  simulated BIGINT NOT NULL CHECK (simulated IN (0, 1)),
  at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX spends_of_run ON spends (run_id, at);
CREATE INDEX spends_of_organisation ON spends (organisation_id, at);

-- The budgets above a brief's own. Streams: a run's is its run's, an organisation's and its missions' the organisation's, a persona's the system's.
CREATE TABLE budgets (
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('run', 'mission', 'persona', 'organisation')),
  scope_id TEXT COLLATE "C" NOT NULL,
  organisation_id BIGINT REFERENCES organisations (id),
  token_limit BIGINT CHECK (token_limit > 0),
  cost_limit_micros BIGINT CHECK (cost_limit_micros > 0),
  tokens_spent BIGINT NOT NULL CHECK (tokens_spent >= 0),
  micros_spent BIGINT NOT NULL CHECK (micros_spent >= 0),
  tokens_reserved BIGINT NOT NULL CHECK (tokens_reserved >= 0),
  micros_reserved BIGINT NOT NULL CHECK (micros_reserved >= 0),
  warned BIGINT NOT NULL CHECK (warned IN (0, 1)),
  updated_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, scope_id)
);

-- While a row is here, nothing is launched: everywhere ('all') or in one organisation ('org:1').
CREATE TABLE stops (
  scope TEXT COLLATE "C" PRIMARY KEY,
  organisation_id BIGINT REFERENCES organisations (id),
  reason TEXT COLLATE "C" NOT NULL,
  by TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL
);

-- A provider that said "later": nothing is launched on it until then.
CREATE TABLE provider_holds (
  provider TEXT COLLATE "C" PRIMARY KEY,
  until TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE notifications (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  organisation_id BIGINT REFERENCES organisations (id),
  audience TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  summary TEXT COLLATE "C" NOT NULL,
  actions TEXT COLLATE "C" NOT NULL,
  link TEXT COLLATE "C",
  object TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'sent', 'failed')),
  deliveries TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  UNIQUE (object, state, audience)
);
CREATE INDEX notifications_by_age ON notifications (created_at);
