-- The end of each step of a mission: its output is applied with the row, once.
CREATE TABLE run_steps (
  brief_id TEXT COLLATE "C" PRIMARY KEY REFERENCES briefs (id),
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  purpose TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('done', 'failed', 'cancelled')),
  result TEXT COLLATE "C",
  applied_at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX run_steps_of_run ON run_steps (run_id);

-- Why a mission has a run that is a step of it became `purpose`.
-- only postgres
UPDATE runs SET configuration = (
  SELECT '{' || string_agg(to_json(CASE key WHEN 'execution' THEN 'purpose' ELSE key END)::text || ':' || value::text, ',' ORDER BY key = 'execution', place) || '}'
  FROM json_each(configuration::json) WITH ORDINALITY AS fields (key, value, place)
)
WHERE json_typeof(configuration::json -> 'execution') = 'object';
-- end
INSERT INTO schema_marks (version, stream, seq) SELECT 29, stream, seq FROM streams WHERE stream LIKE 'run:%';
