-- The briefs whose agents are at work for a seat: at most one for each.
CREATE INDEX briefs_at_seats ON briefs (position_id) WHERE position_id IS NOT NULL AND status IN ('assigned', 'working', 'completion_drive_review');
