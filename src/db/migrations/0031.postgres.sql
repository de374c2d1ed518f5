-- The run that takes a landed result back.
ALTER TABLE pull_requests ADD COLUMN reverted_by TEXT COLLATE "C" REFERENCES runs (id);
