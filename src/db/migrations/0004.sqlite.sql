-- Where a run's work comes from and goes to: {path, mirror, branch, base, warnings}; null without a repository.
ALTER TABLE runs ADD COLUMN repository TEXT;
-- The newest commit of its integration branch.
ALTER TABLE runs ADD COLUMN head TEXT;

-- The commit that its clone began with, and the one that was collected from it.
ALTER TABLE briefs ADD COLUMN start_commit TEXT;
ALTER TABLE briefs ADD COLUMN branch_commit TEXT;
-- What was denied to its agents and the operator has allowed since, in the runtime's own words.
ALTER TABLE briefs ADD COLUMN allowed TEXT NOT NULL DEFAULT '[]';

ALTER TABLE attempts ADD COLUMN session TEXT;
ALTER TABLE attempts ADD COLUMN exit_code INTEGER;
-- The most that it used of the machine, where somebody looked.
ALTER TABLE attempts ADD COLUMN used TEXT;
ALTER TABLE attempts ADD COLUMN denied TEXT NOT NULL DEFAULT '[]';

CREATE TABLE pull_requests (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE REFERENCES runs (id),
  adapter TEXT NOT NULL CHECK (adapter IN ('bare')),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  base_commit TEXT NOT NULL,
  head_commit TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'merged', 'closed')),
  merged_commit TEXT CHECK ((merged_commit IS NOT NULL) = (status = 'merged')),
  opened_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ended_at TEXT CHECK ((ended_at IS NULL) = (status = 'open'))
) STRICT;
CREATE INDEX pull_requests_by_age ON pull_requests (opened_at, id);

-- Directories that belong to missions; those of briefs are made and named by their runs.
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  organisation_id INTEGER NOT NULL REFERENCES organisations (id),
  mission_id TEXT NOT NULL REFERENCES missions (id),
  path TEXT NOT NULL,
  category TEXT NOT NULL,
  repository TEXT,
  policy TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'removed')),
  log TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  removed_at TEXT CHECK ((removed_at IS NULL) = (status = 'active'))
) STRICT;
-- A name that was removed can be used again.
CREATE UNIQUE INDEX workspaces_one_path ON workspaces (path) WHERE status = 'active';
CREATE UNIQUE INDEX workspaces_one_of_mission ON workspaces (mission_id) WHERE status = 'active';
