-- Where a brief stands in a playbook that works in tiers: who answers for it, what it belongs to, what it is given.
ALTER TABLE briefs ADD COLUMN tier TEXT COLLATE "C" CHECK (tier IN ('t1', 't2', 't3', 't4', 't5'));
-- Names the prompt and the shape of the output.
ALTER TABLE briefs ADD COLUMN phase TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN workstream TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN part TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN owner_id TEXT COLLATE "C" REFERENCES briefs (id) CHECK (owner_id <> id);
ALTER TABLE briefs ADD COLUMN personality TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN label TEXT COLLATE "C";
ALTER TABLE briefs ADD COLUMN inputs TEXT COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE briefs ADD COLUMN files TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE briefs ADD COLUMN flow TEXT COLLATE "C" CHECK (flow IN ('swarm', 'pipeline'));
ALTER TABLE briefs ADD COLUMN replaces TEXT COLLATE "C" REFERENCES briefs (id);
ALTER TABLE briefs ADD COLUMN opaque BIGINT NOT NULL DEFAULT 0 CHECK (opaque IN (0, 1));
-- How often somebody above has answered for it.
ALTER TABLE briefs ADD COLUMN escalations BIGINT NOT NULL DEFAULT 0 CHECK (escalations >= 0);
-- Its branch in a repository, where its playbook names branches.
ALTER TABLE briefs ADD COLUMN branch TEXT COLLATE "C";
CREATE INDEX briefs_by_branch ON briefs (run_id, branch) WHERE branch IS NOT NULL;
CREATE INDEX briefs_of_part ON briefs (run_id, part, phase, status) WHERE part IS NOT NULL;

-- The files that were found of an attempt's work when it ended; who judges it looks at these.
ALTER TABLE attempts ADD COLUMN outputs TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- A document of the run itself, rather than a file in a workspace.
ALTER TABLE artifacts ADD COLUMN content TEXT COLLATE "C";

-- What a run is divided into, and what its playbook has to remember of each: waves, workstreams, squads.
CREATE TABLE parts (
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  key TEXT COLLATE "C" NOT NULL,
  parent TEXT COLLATE "C",
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'open', 'done', 'cancelled')),
  data TEXT COLLATE "C" NOT NULL,
  -- The newest commit of its branch.
  head TEXT COLLATE "C",
  -- Set while git is at work for it.
  held_by TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (run_id, key)
);
CREATE INDEX parts_by_parent ON parts (run_id, parent, status);

-- Changes of a run's path, and who was told.
CREATE TABLE amendments (
  id TEXT COLLATE "C" PRIMARY KEY,
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('path')),
  proposed_by TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  workstream TEXT COLLATE "C" NOT NULL,
  before_path TEXT COLLATE "C" NOT NULL,
  after_path TEXT COLLATE "C" NOT NULL,
  acknowledged_by TEXT COLLATE "C",
  at TEXT COLLATE "C" NOT NULL
);
CREATE INDEX amendments_of_run ON amendments (run_id, at);

-- What a run has at work, without its past; and whether something that is ready may start by its run and tier alone.
CREATE INDEX attempts_live ON attempts (run_id, created_at, id) WHERE status <> 'ended';
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (created_at, number, id, run_id, tier) WHERE status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL;
