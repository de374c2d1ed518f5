-- Notes are numbered within their brief. Notes of before keep the numbers that they have, which were unique in their run.
-- only postgres
ALTER TABLE notes DROP CONSTRAINT notes_run_id_number_key;
ALTER TABLE notes ADD UNIQUE (brief_id, number);
DROP INDEX notes_of_brief;
-- end
-- When an escalated note was handed to the playbook; null: it was not, or it is a question.
ALTER TABLE notes ADD COLUMN handed_at TEXT COLLATE "C";
CREATE INDEX notes_of_run ON notes (run_id, created_at, id);
