-- Governance is enforced by default from now on. An organisation without a setting of its own keeps the default that it
-- was created with.
INSERT INTO organisation_settings (organisation_id, key, value)
SELECT id, 'governance', 'advise' FROM organisations
WHERE id NOT IN (SELECT organisation_id FROM organisation_settings WHERE key = 'governance');
INSERT INTO schema_marks (version, stream, seq) SELECT 20, stream, seq FROM streams WHERE stream LIKE 'org:%';
-- Usage that an agent reports about itself, and that nothing has measured.
ALTER TABLE spends ADD COLUMN claimed BIGINT NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1));
