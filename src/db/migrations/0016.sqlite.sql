-- A brief keeps the fields of its playbook as `data`, which no query reads. The engine counts agents at work by
-- `cap_key`, a playbook asks for briefs by `group_key`, and `starts_after_failure` lets a brief decide about a failure.
ALTER TABLE briefs ADD COLUMN cap_key TEXT;
ALTER TABLE briefs ADD COLUMN group_key TEXT;
ALTER TABLE briefs ADD COLUMN starts_after_failure INTEGER NOT NULL DEFAULT 0 CHECK (starts_after_failure IN (0, 1));
ALTER TABLE briefs ADD COLUMN data TEXT NOT NULL DEFAULT '{}';
-- Each store quotes the texts as JSON.stringify does.
-- only sqlite
UPDATE briefs SET cap_key = tier, group_key = workstream, starts_after_failure = CASE WHEN phase = 'resolve' THEN 1 ELSE 0 END,
data = '{"tier":' || json_quote(tier) || ',"workstream":' || json_quote(workstream) || ',"label":' || json_quote(label)
  || ',"personality":' || json_quote(personality) || ',"files":' || files || ',"flow":' || json_quote(flow) || ',"replaces":' || json_quote(replaces)
  || ',"opaque":' || CASE WHEN opaque = 1 THEN 'true' ELSE 'false' END || '}'
WHERE tier IS NOT NULL;
-- end
INSERT INTO schema_marks (version, stream, seq) SELECT 16, stream, seq FROM streams WHERE stream LIKE 'run:%';
ALTER TABLE briefs DROP COLUMN tier;
ALTER TABLE briefs DROP COLUMN workstream;
ALTER TABLE briefs DROP COLUMN label;
ALTER TABLE briefs DROP COLUMN personality;
ALTER TABLE briefs DROP COLUMN files;
ALTER TABLE briefs DROP COLUMN flow;
ALTER TABLE briefs DROP COLUMN replaces;
ALTER TABLE briefs DROP COLUMN opaque;
