-- Removing a seat takes its agents off the chart and keeps them.
ALTER TABLE agents ADD COLUMN seat_id BIGINT REFERENCES positions (id) ON DELETE SET NULL;
UPDATE agents SET seat_id = position_id;
ALTER TABLE agents DROP COLUMN position_id;
ALTER TABLE agents RENAME COLUMN seat_id TO position_id;
