-- Where a brief stands in a playbook that works in tiers: who answers for it, what it belongs to, what it is given.
ALTER TABLE briefs ADD COLUMN tier TEXT CHECK (tier IN ('t1', 't2', 't3', 't4', 't5'));
-- Names the prompt and the shape of the output.
ALTER TABLE briefs ADD COLUMN phase TEXT;
ALTER TABLE briefs ADD COLUMN workstream TEXT;
ALTER TABLE briefs ADD COLUMN part TEXT;
ALTER TABLE briefs ADD COLUMN owner_id TEXT REFERENCES briefs (id) CHECK (owner_id <> id);
ALTER TABLE briefs ADD COLUMN personality TEXT;
ALTER TABLE briefs ADD COLUMN label TEXT;
ALTER TABLE briefs ADD COLUMN inputs TEXT NOT NULL DEFAULT '{}';
ALTER TABLE briefs ADD COLUMN files TEXT NOT NULL DEFAULT '[]';
ALTER TABLE briefs ADD COLUMN flow TEXT CHECK (flow IN ('swarm', 'pipeline'));
ALTER TABLE briefs ADD COLUMN replaces TEXT REFERENCES briefs (id);
ALTER TABLE briefs ADD COLUMN opaque INTEGER NOT NULL DEFAULT 0 CHECK (opaque IN (0, 1));
-- How often somebody above has answered for it.
ALTER TABLE briefs ADD COLUMN escalations INTEGER NOT NULL DEFAULT 0 CHECK (escalations >= 0);
-- Its branch in a repository, where its playbook names branches.
ALTER TABLE briefs ADD COLUMN branch TEXT;
CREATE INDEX briefs_by_branch ON briefs (run_id, branch) WHERE branch IS NOT NULL;
CREATE INDEX briefs_of_part ON briefs (run_id, part, phase, status) WHERE part IS NOT NULL;

-- The files that were found of an attempt's work when it ended; who judges it looks at these.
ALTER TABLE attempts ADD COLUMN outputs TEXT NOT NULL DEFAULT '[]';

-- A document of the run itself, rather than a file in a workspace.
ALTER TABLE artifacts ADD COLUMN content TEXT;

-- What a run is divided into, and what its playbook has to remember of each: waves, workstreams, squads.
CREATE TABLE parts (
  run_id TEXT NOT NULL REFERENCES runs (id),
  key TEXT NOT NULL,
  parent TEXT,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'open', 'done', 'cancelled')),
  data TEXT NOT NULL,
  -- The newest commit of its branch.
  head TEXT,
  -- Set while git is at work for it.
  held_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (run_id, key)
) STRICT;
CREATE INDEX parts_by_parent ON parts (run_id, parent, status);

-- Changes of a run's path, and who was told.
CREATE TABLE amendments (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  kind TEXT NOT NULL CHECK (kind IN ('path')),
  proposed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  workstream TEXT NOT NULL,
  before_path TEXT NOT NULL,
  after_path TEXT NOT NULL,
  acknowledged_by TEXT,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX amendments_of_run ON amendments (run_id, at);

-- What a run has at work, without its past; and whether something that is ready may start by its run and tier alone.
CREATE INDEX attempts_live ON attempts (run_id, created_at, id) WHERE status <> 'ended';
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (created_at, number, id, run_id, tier) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
