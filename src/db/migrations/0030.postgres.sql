-- A decision of the operator about a gate or a question that takes effect later, so that it can be taken back until then.
CREATE TABLE decisions (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" REFERENCES runs (id),
  organisation_id BIGINT REFERENCES organisations (id),
  target TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL CHECK (action IN ('approve', 'reject', 'answer')),
  text TEXT COLLATE "C",
  by TEXT COLLATE "C" NOT NULL,
  decided_at TEXT COLLATE "C" NOT NULL,
  effective_at TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'applied', 'undone', 'refused')),
  reason TEXT COLLATE "C",
  settled_at TEXT COLLATE "C" CHECK ((settled_at IS NULL) = (status = 'waiting')),
  CHECK ((run_id IS NULL) <> (organisation_id IS NULL))
);
CREATE INDEX decisions_of_target ON decisions (target, decided_at);
CREATE INDEX decisions_of_run ON decisions (run_id);
CREATE UNIQUE INDEX decisions_waiting ON decisions (target, by) WHERE status = 'waiting';
