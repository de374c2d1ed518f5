-- Money as accounts. A budget's reserved amount is the sum of its reservations, and a brief's own limit is a budget like
-- the others. Agents do not outlive the daemon that a migration waits for, so no reservation of theirs is kept.
CREATE TABLE budgets_as_accounts (
  scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('brief', 'delegation', 'run', 'mission', 'persona', 'organisation')),
  scope_id TEXT COLLATE "C" NOT NULL,
  -- The budget above it; it has a row only if it has a limit.
  parent_scope TEXT COLLATE "C",
  parent_id TEXT COLLATE "C",
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  organisation_id BIGINT REFERENCES organisations (id),
  token_limit BIGINT CHECK (token_limit > 0),
  cost_limit_micros BIGINT CHECK (cost_limit_micros > 0),
  tokens_spent BIGINT NOT NULL CHECK (tokens_spent >= 0),
  micros_spent BIGINT NOT NULL CHECK (micros_spent >= 0),
  warned BIGINT NOT NULL CHECK (warned IN (0, 1)),
  updated_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, scope_id),
  CHECK ((parent_scope IS NULL) = (parent_id IS NULL)),
  CHECK ((scope IN ('brief', 'delegation', 'run')) = (run_id IS NOT NULL))
);
INSERT INTO budgets_as_accounts SELECT u.scope, u.scope_id,
  CASE u.scope WHEN 'run' THEN 'mission' WHEN 'mission' THEN 'organisation' END,
  CASE u.scope WHEN 'run' THEN r.mission_id WHEN 'mission' THEN CAST(u.organisation_id AS TEXT) END,
  r.id, u.organisation_id, u.token_limit, u.cost_limit_micros, u.tokens_spent, u.micros_spent, u.warned, u.updated_at
  FROM budgets u LEFT JOIN runs r ON u.scope = 'run' AND r.id = u.scope_id;
DROP TABLE budgets;
ALTER TABLE budgets_as_accounts RENAME TO budgets;
INSERT INTO budgets (scope, scope_id, parent_scope, parent_id, run_id, token_limit, cost_limit_micros, tokens_spent,
  micros_spent, warned, updated_at)
  SELECT 'brief', id, 'run', run_id, run_id, token_budget, cost_limit_micros, tokens_used, cost_micros,
  CASE WHEN tokens_used * 10 >= token_budget * 8 OR cost_micros * 10 >= cost_limit_micros * 8 THEN 1 ELSE 0 END, updated_at
  FROM briefs WHERE token_budget IS NOT NULL OR cost_limit_micros IS NOT NULL;
CREATE INDEX budgets_of_run ON budgets (run_id) WHERE run_id IS NOT NULL;
ALTER TABLE briefs DROP COLUMN token_budget;
ALTER TABLE briefs DROP COLUMN cost_limit_micros;

-- The part of a budget that is set aside for one holder, until it is spent or the holder ends.
CREATE TABLE reservations (
  holder TEXT COLLATE "C" NOT NULL CHECK (holder IN ('attempt', 'delegation', 'agent')),
  holder_id TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  scope_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  tokens BIGINT NOT NULL CHECK (tokens >= 0),
  micros BIGINT NOT NULL CHECK (micros >= 0),
  PRIMARY KEY (holder, holder_id, scope, scope_id),
  FOREIGN KEY (scope, scope_id) REFERENCES budgets (scope, scope_id),
  CHECK ((holder = 'agent') = (run_id IS NULL))
);
CREATE INDEX reservations_of_budget ON reservations (scope, scope_id, tokens, micros);
ALTER TABLE attempts DROP COLUMN reserved_tokens;
ALTER TABLE attempts DROP COLUMN reserved_micros;
-- It has made a reservation: without one there is nothing to look for at its end.
ALTER TABLE attempts ADD COLUMN budgeted BIGINT NOT NULL DEFAULT 0 CHECK (budgeted IN (0, 1));

-- A live agent makes calls outside any run.
CREATE TABLE spends_of_agents (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  mission_id TEXT COLLATE "C" REFERENCES missions (id),
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  brief_id TEXT COLLATE "C" REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" REFERENCES attempts (id),
  agent_id BIGINT REFERENCES agents (id),
  persona_id BIGINT NOT NULL REFERENCES personas (id),
  provider TEXT COLLATE "C",
  model TEXT COLLATE "C",
  input_tokens BIGINT NOT NULL CHECK (input_tokens >= 0),
  output_tokens BIGINT NOT NULL CHECK (output_tokens >= 0),
  cache_read_tokens BIGINT NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_tokens BIGINT NOT NULL CHECK (cache_write_tokens >= 0),
  cost_micros BIGINT CHECK (cost_micros >= 0),
  simulated BIGINT NOT NULL CHECK (simulated IN (0, 1)),
  at TEXT COLLATE "C" NOT NULL,
  CHECK ((attempt_id IS NULL) = (agent_id IS NOT NULL)),
  CHECK ((attempt_id IS NULL) = (run_id IS NULL) AND (attempt_id IS NULL) = (brief_id IS NULL))
);
INSERT INTO spends_of_agents SELECT id, run_id, mission_id, organisation_id, brief_id, attempt_id, NULL, persona_id,
  provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, simulated, at FROM spends;
DROP TABLE spends;
ALTER TABLE spends_of_agents RENAME TO spends;
CREATE INDEX spends_of_run ON spends (run_id, at);
CREATE INDEX spends_of_organisation ON spends (organisation_id, at);

INSERT INTO schema_marks (version, stream, seq) SELECT 10, stream, seq FROM streams;
