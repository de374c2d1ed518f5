-- The reasons for which a brief waits: a set, of which each is added and released by itself.
CREATE TABLE brief_holds (
  run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
  brief_id TEXT COLLATE "C" NOT NULL REFERENCES briefs (id),
  kind TEXT COLLATE "C" NOT NULL,
  -- The failed brief, the scope of the budget, the repository; empty if the kind needs none.
  subject TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (run_id, brief_id, kind, subject)
);
CREATE INDEX brief_holds_by_kind ON brief_holds (kind, subject, run_id);

-- A brief that has ended waits for nothing.
INSERT INTO brief_holds (run_id, brief_id, kind, subject)
SELECT run_id, id,
  CASE WHEN held_by LIKE 'dependency_failed:%' THEN 'dependency_failed' WHEN held_by LIKE 'budget:%' THEN 'budget'
    WHEN held_by LIKE 'checks:%' THEN 'checks' ELSE held_by END,
  CASE WHEN held_by LIKE 'dependency_failed:%' THEN SUBSTR(held_by, 19) WHEN held_by LIKE 'budget:%' THEN SUBSTR(held_by, 8)
    WHEN held_by LIKE 'checks:%' THEN SUBSTR(held_by, 8) ELSE '' END
FROM briefs WHERE held_by IS NOT NULL AND status NOT IN ('done', 'failed', 'cancelled');

-- The text named one of the dependencies that will not be met.
INSERT INTO brief_holds (run_id, brief_id, kind, subject)
SELECT d.run_id, d.brief_id, 'dependency_failed', d.after_id
FROM dependencies d JOIN briefs b ON b.id = d.brief_id JOIN briefs a ON a.id = d.after_id
WHERE d.met = 0 AND b.held_by LIKE 'dependency_failed:%' AND b.held_by <> 'dependency_failed:' || d.after_id
  AND b.status NOT IN ('done', 'failed', 'cancelled') AND a.status IN ('failed', 'cancelled');

-- The number of these reasons, so that the query for ready briefs reads one table.
ALTER TABLE briefs ADD COLUMN hold_count BIGINT NOT NULL DEFAULT 0 CHECK (hold_count >= 0);
UPDATE briefs SET hold_count = (SELECT COUNT(*) FROM brief_holds h WHERE h.run_id = briefs.run_id AND h.brief_id = briefs.id)
WHERE held_by IS NOT NULL;
DROP INDEX briefs_ready;
CREATE INDEX briefs_ready ON briefs (claim_order, created_at, id) WHERE status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0;
ALTER TABLE briefs DROP COLUMN held_by;

INSERT INTO schema_marks (version, stream, seq) SELECT 11, stream, seq FROM streams WHERE stream LIKE 'run:%';
