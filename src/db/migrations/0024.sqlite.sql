-- Notes are numbered within their brief. Notes of before keep the numbers that they have, which were unique in their run.
-- only sqlite
CREATE TABLE notes_of_briefs (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  brief_id TEXT NOT NULL REFERENCES briefs (id),
  attempt_id TEXT REFERENCES attempts (id),
  agent_id INTEGER REFERENCES agents (id),
  number INTEGER NOT NULL CHECK (number > 0),
  status TEXT NOT NULL CHECK (status IN ('open', 'resolved', 'escalated')),
  category TEXT CHECK (category IN ('technology', 'architecture', 'security', 'requirements', 'conflict', 'consistency', 'bug', 'implementation', 'documentation')),
  description TEXT NOT NULL,
  context TEXT NOT NULL,
  resolution TEXT,
  resolved_by TEXT CHECK (resolved_by IN ('agent_self', 'workflow_executor', 'user')),
  resolution_source TEXT CHECK (resolution_source IN ('agent', 'owner', 'solution_architect', 'escalation_resolution', 'lead', 'operator')),
  escalation_reason TEXT,
  question_id TEXT REFERENCES questions (id),
  extra TEXT NOT NULL,
  created_at TEXT NOT NULL,
  resolved_at TEXT,
  UNIQUE (brief_id, number),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL AND resolution IS NOT NULL AND resolved_by IS NOT NULL)),
  CHECK (status <> 'escalated' OR escalation_reason IS NOT NULL)
) STRICT;
INSERT INTO notes_of_briefs SELECT id, run_id, brief_id, attempt_id, agent_id, number, status, category, description, context,
  resolution, resolved_by, resolution_source, escalation_reason, question_id, extra, created_at, resolved_at FROM notes;
DROP TABLE notes;
ALTER TABLE notes_of_briefs RENAME TO notes;
-- end
-- When an escalated note was handed to the playbook; null: it was not, or it is a question.
ALTER TABLE notes ADD COLUMN handed_at TEXT;
CREATE INDEX notes_of_run ON notes (run_id, created_at, id);
