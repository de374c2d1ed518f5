CREATE TABLE positions (
  id INTEGER PRIMARY KEY,
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  role_id INTEGER NOT NULL REFERENCES roles (id),
  title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 100),
  reports_to_id INTEGER REFERENCES positions (id) ON DELETE SET NULL,
  escalates_to_id INTEGER REFERENCES positions (id) ON DELETE SET NULL,
  is_cross_cutting INTEGER NOT NULL CHECK (is_cross_cutting IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (organisation_id, title),
  CHECK (reports_to_id <> id),
  CHECK (escalates_to_id <> id)
) STRICT;
CREATE INDEX positions_reporting ON positions (reports_to_id);
CREATE INDEX positions_escalating ON positions (escalates_to_id);

ALTER TABLE organisations ADD COLUMN lead_position_id INTEGER REFERENCES positions (id) ON DELETE SET NULL;
-- Null: made here by hand.
ALTER TABLE personas ADD COLUMN origin TEXT CHECK (origin IN ('seed', 'import', 'pool'));

-- A seat that is removed leaves its history behind, so the row keeps organisation and title itself.
CREATE TABLE position_assignments (
  id INTEGER PRIMARY KEY,
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  position_id INTEGER REFERENCES positions (id) ON DELETE SET NULL,
  position_title TEXT NOT NULL,
  persona_id INTEGER NOT NULL REFERENCES personas (id),
  assigned_at TEXT NOT NULL,
  unassigned_at TEXT,
  CHECK (position_id IS NOT NULL OR unassigned_at IS NOT NULL)
) STRICT;
-- A seat is held by one persona at a time, whatever the code believes.
CREATE UNIQUE INDEX position_assignments_one_holder ON position_assignments (position_id) WHERE unassigned_at IS NULL;
CREATE INDEX position_assignments_of_persona ON position_assignments (persona_id);
CREATE INDEX position_assignments_of_organisation ON position_assignments (organisation_id, assigned_at);

CREATE TABLE position_authorities (
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  position_id INTEGER NOT NULL REFERENCES positions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('spend_per_transaction', 'spend_per_session', 'spend_per_day', 'tokens_per_session')),
  limit_amount REAL NOT NULL CHECK (limit_amount >= 0),
  unit TEXT NOT NULL CHECK (length(unit) BETWEEN 1 AND 32),
  on_breach TEXT NOT NULL CHECK (on_breach IN ('refuse', 'gate', 'hard_stop')),
  PRIMARY KEY (position_id, kind)
) STRICT;

CREATE TABLE organisation_settings (
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (organisation_id, key)
) STRICT;

CREATE TABLE proposals (
  id INTEGER PRIMARY KEY,
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  reason TEXT NOT NULL,
  document TEXT NOT NULL,
  preview TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'applied', 'rejected')),
  answer TEXT,
  proposed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_by TEXT,
  decided_at TEXT,
  CHECK ((status = 'open') = (decided_at IS NULL))
) STRICT;
CREATE INDEX proposals_open ON proposals (organisation_id) WHERE status = 'open';

ALTER TABLE agents ADD COLUMN tmux_pane_id TEXT;
ALTER TABLE agents ADD COLUMN prompt_injected_at TEXT;
ALTER TABLE agents ADD COLUMN context_percent INTEGER CHECK (context_percent BETWEEN 0 AND 100);

CREATE TABLE handoffs (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER NOT NULL UNIQUE REFERENCES agents (id),
  file_path TEXT,
  reason TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('requested', 'complete', 'error')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Files that belong to rows: written down before the rows are committed, crossed out when the files are in place.
CREATE TABLE file_moves (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- A plan keeps the order in which it was written.
ALTER TABLE briefs ADD COLUMN number INTEGER;
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (created_at, number, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
DROP INDEX briefs_of_run;
CREATE INDEX briefs_of_run ON briefs (run_id, created_at, number, id);
