-- A notification that no notifier receives was not sent. Rows of before keep the status that they were given.
-- only sqlite
CREATE TABLE notifications_not_sent (
  id TEXT PRIMARY KEY,
  run_id TEXT REFERENCES runs (id),
  organisation_id INTEGER REFERENCES organisations (id),
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  actions TEXT NOT NULL,
  link TEXT,
  object TEXT NOT NULL,
  state TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'sent', 'failed', 'not_sent')),
  deliveries TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (object, state, audience)
) STRICT;
INSERT INTO notifications_not_sent SELECT id, run_id, organisation_id, audience, kind, title, summary, actions, link, object,
  state, status, deliveries, created_at, updated_at FROM notifications;
DROP TABLE notifications;
ALTER TABLE notifications_not_sent RENAME TO notifications;
CREATE INDEX notifications_by_age ON notifications (created_at);
-- end
