-- The time at which the operator dismissed a failed run from the inbox.
ALTER TABLE runs ADD COLUMN dismissed_at TEXT;
