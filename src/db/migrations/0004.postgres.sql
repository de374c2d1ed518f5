-- Where a run's work comes from and goes to: {path, mirror, branch, base, warnings}; null without a repository.
ALTER TABLE runs ADD COLUMN repository TEXT COLLATE "C";
-- The newest commit of its integration branch.
ALTER TABLE runs ADD COLUMN head TEXT COLLATE "C";

-- The commit that its clone began with, and the one that was collected from it.
ALTER TABLE briefs ADD COLUMN start_commit TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN branch_commit TEXT COLLATE "C";
-- What was denied to its agents and the operator has allowed since, in the runtime's own words.
ALTER TABLE briefs ADD COLUMN allowed TEXT COLLATE "C" NOT NULL DEFAULT '[]';

ALTER TABLE attempts ADD COLUMN session TEXT COLLATE "C";
ALTER TABLE attempts ADD COLUMN exit_code BIGINT;
-- The most that it used of the machine, where somebody looked.
ALTER TABLE attempts ADD COLUMN used TEXT COLLATE "C";
ALTER TABLE attempts ADD COLUMN denied TEXT COLLATE "C" NOT NULL DEFAULT '[]';

CREATE TABLE pull_requests (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES runs (id),
  adapter TEXT COLLATE "C" NOT NULL CHECK (adapter IN ('bare')),
  title TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  base_commit TEXT COLLATE "C" NOT NULL,
  head_commit TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'merged', 'closed')),
  merged_commit TEXT COLLATE "C" CHECK ((merged_commit IS NOT NULL) = (status = 'merged')),
  opened_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C" CHECK ((ended_at IS NULL) = (status = 'open'))
);
CREATE INDEX pull_requests_by_age ON pull_requests (opened_at, id);

-- Directories that belong to missions; those of briefs are made and named by their runs.
CREATE TABLE workspaces (
  id TEXT COLLATE "C" PRIMARY KEY,
  organisation_id BIGINT NOT NULL REFERENCES organisations (id),
  mission_id TEXT COLLATE "C" NOT NULL REFERENCES missions (id),
  path TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  repository TEXT COLLATE "C",
  policy TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'removed')),
  log TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  removed_at TEXT COLLATE "C" CHECK ((removed_at IS NULL) = (status = 'active'))
);
-- A name that was removed can be used again.
CREATE UNIQUE INDEX workspaces_one_path ON workspaces (path) WHERE status = 'active';
CREATE UNIQUE INDEX workspaces_one_of_mission ON workspaces (mission_id) WHERE status = 'active';
