CREATE TABLE positions (
  id BIGINT PRIMARY KEY,
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  role_id BIGINT NOT NULL REFERENCES roles (id),
  title TEXT COLLATE "C" NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  level BIGINT NOT NULL CHECK (level BETWEEN 1 AND 100),
  reports_to_id BIGINT REFERENCES positions (id) ON DELETE SET NULL,
  escalates_to_id BIGINT REFERENCES positions (id) ON DELETE SET NULL,
  is_cross_cutting BIGINT NOT NULL CHECK (is_cross_cutting IN (0, 1)),
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  UNIQUE (organisation_id, title),
  CHECK (reports_to_id <> id),
  CHECK (escalates_to_id <> id)
);
CREATE INDEX positions_reporting ON positions (reports_to_id);
CREATE INDEX positions_escalating ON positions (escalates_to_id);

ALTER TABLE organisations ADD COLUMN lead_position_id BIGINT REFERENCES positions (id) ON DELETE SET NULL;
-- Null: made here by hand.
ALTER TABLE personas ADD COLUMN origin TEXT COLLATE "C" CHECK (origin IN ('seed', 'import', 'pool'));

-- A seat that is removed leaves its history behind, so the row keeps organisation and title itself.
CREATE TABLE position_assignments (
  id BIGINT PRIMARY KEY,
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  position_id BIGINT REFERENCES positions (id) ON DELETE SET NULL,
  position_title TEXT COLLATE "C" NOT NULL,
  persona_id BIGINT NOT NULL REFERENCES personas (id),
  assigned_at TEXT COLLATE "C" NOT NULL,
  unassigned_at TEXT COLLATE "C",
  CHECK (position_id IS NOT NULL OR unassigned_at IS NOT NULL)
);
-- A seat is held by one persona at a time, whatever the code believes.
CREATE UNIQUE INDEX position_assignments_one_holder ON position_assignments (position_id) WHERE unassigned_at IS NULL;
CREATE INDEX position_assignments_of_persona ON position_assignments (persona_id);
CREATE INDEX position_assignments_of_organisation ON position_assignments (organisation_id, assigned_at);

CREATE TABLE position_authorities (
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  position_id BIGINT NOT NULL REFERENCES positions (id) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('spend_per_transaction', 'spend_per_session', 'spend_per_day', 'tokens_per_session')),
  limit_amount DOUBLE PRECISION NOT NULL CHECK (limit_amount >= 0),
  unit TEXT COLLATE "C" NOT NULL CHECK (length(unit) BETWEEN 1 AND 32),
  on_breach TEXT COLLATE "C" NOT NULL CHECK (on_breach IN ('refuse', 'gate', 'hard_stop')),
  PRIMARY KEY (position_id, kind)
);

CREATE TABLE organisation_settings (
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  key TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (organisation_id, key)
);

CREATE TABLE proposals (
  id BIGINT PRIMARY KEY,
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  reason TEXT COLLATE "C" NOT NULL,
  document TEXT COLLATE "C" NOT NULL,
  preview TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'applied', 'rejected')),
  answer TEXT COLLATE "C",
  proposed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  decided_by TEXT COLLATE "C",
  decided_at TEXT COLLATE "C",
  CHECK ((status = 'open') = (decided_at IS NULL))
);
CREATE INDEX proposals_open ON proposals (organisation_id) WHERE status = 'open';

ALTER TABLE agents ADD COLUMN tmux_pane_id TEXT COLLATE "C";
ALTER TABLE agents ADD COLUMN prompt_injected_at TEXT COLLATE "C";
ALTER TABLE agents ADD COLUMN context_percent BIGINT CHECK (context_percent BETWEEN 0 AND 100);

CREATE TABLE handoffs (
  id BIGINT PRIMARY KEY,
  agent_id BIGINT NOT NULL UNIQUE REFERENCES agents (id),
  file_path TEXT COLLATE "C",
  reason TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('requested', 'complete', 'error')),
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

-- Files that belong to rows: written down before the rows are committed, crossed out when the files are in place.
CREATE TABLE file_moves (
  id BIGINT PRIMARY KEY,
  source TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

-- A plan keeps the order in which it was written.
ALTER TABLE briefs ADD COLUMN number BIGINT;
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (created_at, number, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
DROP INDEX briefs_of_run;
CREATE INDEX briefs_of_run ON briefs (run_id, created_at, number, id);
