-- Columns are text, integer, real. Booleans are 0/1, JSON is text and never queried, times are ISO text in UTC.

CREATE TABLE streams (
  stream TEXT COLLATE "C" PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  seal TEXT COLLATE "C" NOT NULL
);

CREATE TABLE events (
  position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  by TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C",
  brief_id TEXT COLLATE "C",
  attempt_id TEXT COLLATE "C",
  tier TEXT COLLATE "C",
  workstream TEXT COLLATE "C",
  level TEXT COLLATE "C" NOT NULL CHECK (level IN ('normal', 'verbose')),
  code TEXT COLLATE "C",
  message TEXT COLLATE "C" NOT NULL,
  data TEXT COLLATE "C" NOT NULL,
  changes TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  UNIQUE (stream, seq)
);

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$;
CREATE TRIGGER events_are_final BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse('events are never changed');
CREATE TRIGGER events_stay BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse('events are never removed');
CREATE TRIGGER events_stay_together BEFORE TRUNCATE ON events EXECUTE FUNCTION refuse('events are never removed');

CREATE TABLE counters (name TEXT COLLATE "C" PRIMARY KEY, value BIGINT NOT NULL);

CREATE TABLE answers (key TEXT COLLATE "C" PRIMARY KEY, digest TEXT COLLATE "C" NOT NULL, answer TEXT COLLATE "C" NOT NULL, at TEXT COLLATE "C" NOT NULL);
CREATE INDEX answers_by_age ON answers (at);

CREATE TABLE jobs (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  singleton TEXT COLLATE "C",
  payload TEXT COLLATE "C" NOT NULL,
  due_at TEXT COLLATE "C" NOT NULL,
  schedule TEXT COLLATE "C",
  tries BIGINT NOT NULL,
  max_tries BIGINT NOT NULL,
  claimed_by TEXT COLLATE "C",
  claimed_until TEXT COLLATE "C",
  again_at TEXT COLLATE "C",
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'dead')),
  error TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX jobs_singleton ON jobs (kind, singleton) WHERE singleton IS NOT NULL AND status = 'waiting';
CREATE INDEX jobs_due ON jobs (due_at) WHERE status = 'waiting';

CREATE TABLE workers (
  id TEXT COLLATE "C" PRIMARY KEY,
  boot BIGINT NOT NULL,
  host TEXT COLLATE "C" NOT NULL,
  pid BIGINT NOT NULL,
  started_at TEXT COLLATE "C" NOT NULL,
  heartbeat_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE organisations (
  id BIGINT PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  purpose TEXT COLLATE "C" NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
  slug TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) <= 128),
  description TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'dormant', 'archived')),
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE roles (
  id BIGINT PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  description TEXT COLLATE "C" NOT NULL
);

CREATE TABLE persona_types (
  id BIGINT PRIMARY KEY CHECK (id BETWEEN 1 AND 4),
  type_key TEXT COLLATE "C" NOT NULL CHECK (type_key IN ('agent', 'person')),
  subtype TEXT COLLATE "C" NOT NULL CHECK (subtype IN ('internal', 'external')),
  UNIQUE (type_key, subtype)
);
INSERT INTO persona_types (id, type_key, subtype) VALUES
  (1, 'agent', 'internal'), (2, 'agent', 'external'), (3, 'person', 'internal'), (4, 'person', 'external');

CREATE TABLE personas (
  id BIGINT PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) <= 128),
  role_id BIGINT NOT NULL REFERENCES roles (id),
  persona_type_id BIGINT NOT NULL REFERENCES persona_types (id),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'archived')),
  can_create_channel BIGINT NOT NULL CHECK (can_create_channel IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE missions (
  id TEXT COLLATE "C" PRIMARY KEY,
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  project_id TEXT COLLATE "C",
  title TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('backlog', 'planning', 'assigned', 'in_progress', 'review', 'done', 'failed', 'paused', 'cancelled')),
  paused_from TEXT COLLATE "C" CHECK (paused_from IN ('planning', 'assigned', 'in_progress', 'review')),
  priority TEXT COLLATE "C" NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'urgent')),
  playbook TEXT COLLATE "C" NOT NULL,
  acceptance TEXT COLLATE "C" NOT NULL,
  assignee BIGINT REFERENCES personas (id),
  parent_mission TEXT COLLATE "C" REFERENCES missions (id),
  tags TEXT COLLATE "C" NOT NULL,
  context_notes TEXT COLLATE "C" NOT NULL,
  token_budget BIGINT CHECK (token_budget > 0),
  cost_limit DOUBLE PRECISION CHECK (cost_limit > 0),
  deadline TEXT COLLATE "C",
  deliverables TEXT COLLATE "C" NOT NULL,
  outcome_summary TEXT COLLATE "C",
  lessons_learned TEXT COLLATE "C",
  workspace_path TEXT COLLATE "C",
  passed TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  CHECK ((status = 'paused') = (paused_from IS NOT NULL))
);
CREATE INDEX missions_by_age ON missions (created_at);

CREATE TABLE runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  mission_id TEXT COLLATE "C" NOT NULL REFERENCES missions (id),
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  playbook TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('planning', 'running', 'gated', 'paused', 'accepting', 'done', 'failed', 'cancelled')),
  goal_anchor TEXT COLLATE "C" NOT NULL,
  simulated BIGINT NOT NULL CHECK (simulated IN (0, 1)),
  configuration TEXT COLLATE "C" NOT NULL,
  briefs_total BIGINT NOT NULL CHECK (briefs_total >= 0),
  briefs_open BIGINT NOT NULL CHECK (briefs_open >= 0),
  briefs_done BIGINT NOT NULL CHECK (briefs_done >= 0),
  briefs_failed BIGINT NOT NULL CHECK (briefs_failed >= 0),
  input_tokens BIGINT NOT NULL CHECK (input_tokens >= 0),
  output_tokens BIGINT NOT NULL CHECK (output_tokens >= 0),
  summary TEXT COLLATE "C",
  started_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C",
  updated_at TEXT COLLATE "C" NOT NULL,
  CHECK ((status IN ('done', 'failed', 'cancelled')) = (ended_at IS NOT NULL))
);
CREATE INDEX runs_by_age ON runs (started_at);
CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL;
CREATE TRIGGER runs_keep_their_goal BEFORE UPDATE OF goal_anchor ON runs FOR EACH ROW
WHEN (NEW.goal_anchor <> OLD.goal_anchor) EXECUTE FUNCTION refuse('the goal of a run is never changed');

CREATE TABLE briefs (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  mission_id TEXT COLLATE "C" NOT NULL REFERENCES missions (id),
  key TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  objective TEXT COLLATE "C" NOT NULL,
  context TEXT COLLATE "C" NOT NULL,
  evidence TEXT COLLATE "C" NOT NULL,
  persona_id BIGINT NOT NULL REFERENCES personas (id),
  runtime TEXT COLLATE "C" NOT NULL,
  runtime_options TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('draft', 'committed', 'pending', 'assigned', 'working', 'completion_drive_review', 'ready_for_verification', 'verified', 'done', 'blocked', 'failed', 'cancelled')),
  held_by TEXT COLLATE "C",
  unmet_dependencies BIGINT NOT NULL CHECK (unmet_dependencies >= 0),
  attempts BIGINT NOT NULL CHECK (attempts >= 0),
  attempt_id TEXT COLLATE "C",
  crash_retries BIGINT NOT NULL CHECK (crash_retries >= 0),
  crash_limit BIGINT NOT NULL CHECK (crash_limit >= 0),
  retries_used BIGINT NOT NULL CHECK (retries_used >= 0),
  retry_budget BIGINT NOT NULL CHECK (retry_budget >= 0),
  interruptions BIGINT NOT NULL CHECK (interruptions >= 0),
  corrections TEXT COLLATE "C" NOT NULL,
  failure TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  UNIQUE (run_id, key)
);
CREATE INDEX briefs_ready ON briefs (created_at, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
CREATE INDEX briefs_by_status ON briefs (status, updated_at) WHERE status IN ('blocked', 'failed');
CREATE INDEX briefs_of_run ON briefs (run_id, created_at, id);

CREATE TABLE dependencies (
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  after_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  met BIGINT NOT NULL CHECK (met IN (0, 1)),
  PRIMARY KEY (brief_id, after_id),
  CHECK (brief_id <> after_id)
);
CREATE INDEX dependencies_of ON dependencies (after_id);

CREATE TABLE agents (
  id BIGINT PRIMARY KEY,
  persona_id BIGINT REFERENCES personas (id) ON DELETE SET NULL,
  position_id BIGINT,
  previous_agent_id BIGINT REFERENCES agents (id) ON DELETE SET NULL,
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  runtime TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('starting', 'working', 'ended')),
  created_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C"
);
CREATE INDEX agents_live ON agents (state) WHERE state <> 'ended';

CREATE TABLE attempts (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  fence BIGINT NOT NULL CHECK (fence > 0),
  worker TEXT COLLATE "C" NOT NULL,
  runtime TEXT COLLATE "C" NOT NULL,
  simulated BIGINT NOT NULL CHECK (simulated IN (0, 1)),
  boxed BIGINT NOT NULL CHECK (boxed IN (0, 1)),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('launching', 'running', 'ended')),
  pid BIGINT,
  outcome TEXT COLLATE "C" CHECK (outcome IN ('ok', 'partial_output', 'bad_output', 'blocked', 'crash', 'timeout', 'budget', 'interrupted')),
  detail TEXT COLLATE "C",
  report TEXT COLLATE "C",
  prompt_sha256 TEXT COLLATE "C",
  input_tokens BIGINT NOT NULL CHECK (input_tokens >= 0),
  output_tokens BIGINT NOT NULL CHECK (output_tokens >= 0),
  created_at TEXT COLLATE "C" NOT NULL,
  started_at TEXT COLLATE "C",
  ended_at TEXT COLLATE "C",
  UNIQUE (brief_id, fence),
  CHECK ((status = 'ended') = (outcome IS NOT NULL))
);
-- No brief has two live attempts, whatever the code believes.
CREATE UNIQUE INDEX attempts_one_live ON attempts (brief_id) WHERE status <> 'ended';
CREATE INDEX attempts_of_run ON attempts (run_id, created_at);

CREATE TABLE checks (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" NOT NULL REFERENCES attempts (id),
  item BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('command', 'file', 'artifact')),
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
CREATE INDEX checks_of_run ON checks (run_id, at);

CREATE TABLE artifacts (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  attempt_id TEXT COLLATE "C" NOT NULL REFERENCES attempts (id),
  name TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL CHECK (version > 0),
  path TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL CHECK (bytes >= 0),
  at TEXT COLLATE "C" NOT NULL,
  UNIQUE (run_id, name, version)
);
