-- The pause during which a gate expired, or that its expiry caused: the gate is opened again when that pause ends.
ALTER TABLE gates ADD COLUMN paused_by TEXT;
