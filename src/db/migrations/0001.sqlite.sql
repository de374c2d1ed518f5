-- Columns are text, integer, real. Booleans are 0/1, JSON is text and never queried, times are ISO text in UTC.

CREATE TABLE streams (
  stream TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  seal TEXT NOT NULL
) STRICT;

CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  by TEXT NOT NULL,
  run_id TEXT,
  brief_id TEXT,
  attempt_id TEXT,
  tier TEXT,
  workstream TEXT,
  level TEXT NOT NULL CHECK (level IN ('normal', 'verbose')),
  code TEXT,
  message TEXT NOT NULL,
  data TEXT NOT NULL,
  changes TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (stream, seq)
) STRICT;

CREATE TRIGGER events_are_final BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;

CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;

CREATE TABLE answers (key TEXT PRIMARY KEY, digest TEXT NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL) STRICT;
CREATE INDEX answers_by_age ON answers (at);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  singleton TEXT,
  payload TEXT NOT NULL,
  due_at TEXT NOT NULL,
  schedule TEXT,
  tries INTEGER NOT NULL,
  max_tries INTEGER NOT NULL,
  claimed_by TEXT,
  claimed_until TEXT,
  again_at TEXT,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'dead')),
  error TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_singleton ON jobs (kind, singleton) WHERE singleton IS NOT NULL AND status = 'waiting';
CREATE INDEX jobs_due ON jobs (due_at) WHERE status = 'waiting';

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  boot INTEGER NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) STRICT;

CREATE TABLE organisations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
  slug TEXT NOT NULL UNIQUE CHECK (length(slug) <= 128),
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'dormant', 'archived')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE roles (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL
) STRICT;

CREATE TABLE persona_types (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4),
  type_key TEXT NOT NULL CHECK (type_key IN ('agent', 'person')),
  subtype TEXT NOT NULL CHECK (subtype IN ('internal', 'external')),
  UNIQUE (type_key, subtype)
) STRICT;
INSERT INTO persona_types (id, type_key, subtype) VALUES
  (1, 'agent', 'internal'), (2, 'agent', 'external'), (3, 'person', 'internal'), (4, 'person', 'external');

CREATE TABLE personas (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE CHECK (length(slug) <= 128),
  role_id INTEGER NOT NULL REFERENCES roles (id),
  persona_type_id INTEGER NOT NULL REFERENCES persona_types (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'archived')),
  can_create_channel INTEGER NOT NULL CHECK (can_create_channel IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE missions (
  id TEXT PRIMARY KEY,
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  project_id TEXT,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('backlog', 'planning', 'assigned', 'in_progress', 'review', 'done', 'failed', 'paused', 'cancelled')),
  paused_from TEXT CHECK (paused_from IN ('planning', 'assigned', 'in_progress', 'review')),
  priority TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'urgent')),
  playbook TEXT NOT NULL,
  acceptance TEXT NOT NULL,
  assignee INTEGER REFERENCES personas (id),
  parent_mission TEXT REFERENCES missions (id),
  tags TEXT NOT NULL,
  context_notes TEXT NOT NULL,
  token_budget INTEGER CHECK (token_budget > 0),
  cost_limit REAL CHECK (cost_limit > 0),
  deadline TEXT,
  deliverables TEXT NOT NULL,
  outcome_summary TEXT,
  lessons_learned TEXT,
  workspace_path TEXT,
  passed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((status = 'paused') = (paused_from IS NOT NULL))
) STRICT;
CREATE INDEX missions_by_age ON missions (created_at);

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  mission_id TEXT NOT NULL REFERENCES missions (id),
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  playbook TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planning', 'running', 'gated', 'paused', 'accepting', 'done', 'failed', 'cancelled')),
  goal_anchor TEXT NOT NULL,
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  configuration TEXT NOT NULL,
  briefs_total INTEGER NOT NULL CHECK (briefs_total >= 0),
  briefs_open INTEGER NOT NULL CHECK (briefs_open >= 0),
  briefs_done INTEGER NOT NULL CHECK (briefs_done >= 0),
  briefs_failed INTEGER NOT NULL CHECK (briefs_failed >= 0),
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  summary TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  updated_at TEXT NOT NULL,
  CHECK ((status IN ('done', 'failed', 'cancelled')) = (ended_at IS NOT NULL))
) STRICT;
CREATE INDEX runs_by_age ON runs (started_at);
CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL;
CREATE TRIGGER runs_keep_their_goal BEFORE UPDATE OF goal_anchor ON runs
WHEN NEW.goal_anchor <> OLD.goal_anchor BEGIN SELECT RAISE(ABORT, 'the goal of a run is never changed'); END;

CREATE TABLE briefs (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  mission_id TEXT NOT NULL REFERENCES missions (id),
  key TEXT NOT NULL,
  title TEXT NOT NULL,
  objective TEXT NOT NULL,
  context TEXT NOT NULL,
  evidence TEXT NOT NULL,
  persona_id INTEGER NOT NULL REFERENCES personas (id),
  runtime TEXT NOT NULL,
  runtime_options TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'committed', 'pending', 'assigned', 'working', 'completion_drive_review', 'ready_for_verification', 'verified', 'done', 'blocked', 'failed', 'cancelled')),
  held_by TEXT,
  unmet_dependencies INTEGER NOT NULL CHECK (unmet_dependencies >= 0),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  attempt_id TEXT,
  crash_retries INTEGER NOT NULL CHECK (crash_retries >= 0),
  crash_limit INTEGER NOT NULL CHECK (crash_limit >= 0),
  retries_used INTEGER NOT NULL CHECK (retries_used >= 0),
  retry_budget INTEGER NOT NULL CHECK (retry_budget >= 0),
  interruptions INTEGER NOT NULL CHECK (interruptions >= 0),
  corrections TEXT NOT NULL,
  failure TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (run_id, key)
) STRICT;
CREATE INDEX briefs_ready ON briefs (created_at, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
CREATE INDEX briefs_by_status ON briefs (status, updated_at) WHERE status IN ('blocked', 'failed');
CREATE INDEX briefs_of_run ON briefs (run_id, created_at, id);

CREATE TABLE dependencies (
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  after_id TEXT NOT NULL REFERENCES briefs (id),
  met INTEGER NOT NULL CHECK (met IN (0, 1)),
  PRIMARY KEY (brief_id, after_id),
  CHECK (brief_id <> after_id)
) STRICT;
CREATE INDEX dependencies_of ON dependencies (after_id);

CREATE TABLE agents (
  id INTEGER PRIMARY KEY,
  persona_id INTEGER REFERENCES personas (id) ON DELETE SET NULL,
  position_id INTEGER,
  previous_agent_id INTEGER REFERENCES agents (id) ON DELETE SET NULL,
  run_id TEXT REFERENCES runs (id),
  runtime TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('starting', 'working', 'ended')),
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX agents_live ON agents (state) WHERE state <> 'ended';

CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  fence INTEGER NOT NULL CHECK (fence > 0),
  worker TEXT NOT NULL,
  runtime TEXT NOT NULL,
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  boxed INTEGER NOT NULL CHECK (boxed IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('launching', 'running', 'ended')),
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
  UNIQUE (brief_id, fence),
  CHECK ((status = 'ended') = (outcome IS NOT NULL))
) STRICT;
-- No brief has two live attempts, whatever the code believes.
CREATE UNIQUE INDEX attempts_one_live ON attempts (brief_id) WHERE status <> 'ended';
CREATE INDEX attempts_of_run ON attempts (run_id, created_at);

CREATE TABLE checks (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT NOT NULL REFERENCES attempts (id),
  item INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('command', 'file', 'artifact')),
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
CREATE INDEX checks_of_run ON checks (run_id, at);

CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT NOT NULL REFERENCES attempts (id),
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  at TEXT NOT NULL,
  UNIQUE (run_id, name, version)
) STRICT;
