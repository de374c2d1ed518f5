-- How a brief reaches its agent: an agent is started for each attempt, or a live agent receives it.
ALTER TABLE briefs ADD COLUMN dispatch TEXT COLLATE "C" NOT NULL DEFAULT 'spawn' CHECK (dispatch IN ('spawn', 'deliver'));
-- The seat of its persona when it was made. It is kept when the seat is removed, so it is no foreign key.
ALTER TABLE briefs ADD COLUMN position_id BIGINT;
