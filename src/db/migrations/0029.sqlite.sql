-- The end of each step of a mission: its output is applied with the row, once.
CREATE TABLE run_steps (
  brief_id TEXT PRIMARY KEY REFERENCES briefs (id),
  run_id TEXT NOT NULL REFERENCES runs (id),
  purpose TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed', 'cancelled')),
  result TEXT,
  applied_at TEXT NOT NULL
) STRICT;
CREATE INDEX run_steps_of_run ON run_steps (run_id);

-- Why a mission has a run that is a step of it became `purpose`.
-- only sqlite
UPDATE runs SET configuration = json_set(json_remove(configuration, '$.execution'), '$.purpose', json_extract(configuration, '$.execution'))
WHERE json_type(configuration, '$.execution') = 'object';
-- end
INSERT INTO schema_marks (version, stream, seq) SELECT 29, stream, seq FROM streams WHERE stream LIKE 'run:%';
