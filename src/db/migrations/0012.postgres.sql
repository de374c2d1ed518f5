-- A notification that no notifier receives was not sent. Rows of before keep the status that they were given.
-- only postgres
ALTER TABLE notifications DROP CONSTRAINT notifications_status_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_status_check CHECK (status IN ('waiting', 'sent', 'failed', 'not_sent'));
-- end
