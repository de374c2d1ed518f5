-- A decision of the operator about a gate or a question that takes effect later, so that it can be taken back until then.
CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  run_id TEXT REFERENCES runs (id),
  organisation_id INTEGER REFERENCES organisations (id),
  target TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('approve', 'reject', 'answer')),
  text TEXT,
  by TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  effective_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'applied', 'undone', 'refused')),
  reason TEXT,
  settled_at TEXT CHECK ((settled_at IS NULL) = (status = 'waiting')),
  CHECK ((run_id IS NULL) <> (organisation_id IS NULL))
) STRICT;
CREATE INDEX decisions_of_target ON decisions (target, decided_at);
CREATE INDEX decisions_of_run ON decisions (run_id);
CREATE UNIQUE INDEX decisions_waiting ON decisions (target, by) WHERE status = 'waiting';
