-- Jobs of one lane run one after the other, in the order of `seq`. A row with `holds_lane` keeps the later ones waiting.
ALTER TABLE jobs RENAME COLUMN singleton TO key;
ALTER TABLE jobs ADD COLUMN lane TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN holds_lane BIGINT NOT NULL DEFAULT 0 CHECK (holds_lane IN (0, 1));
DROP INDEX jobs_singleton;
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE key IS NOT NULL AND status = 'waiting';
CREATE INDEX jobs_by_lane ON jobs (lane, seq, id) WHERE holds_lane = 1;
-- At most one job of a lane is claimed, also by workers that look at the same time.
CREATE UNIQUE INDEX jobs_claimed_in_lane ON jobs (lane) WHERE lane IS NOT NULL AND claimed_by IS NOT NULL;
