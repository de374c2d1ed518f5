-- Browsers that are signed in. Of both secrets only a keyed hash is kept. These rows are operational, like jobs: no event
-- records them and no replay rebuilds them.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  cookie_mac TEXT NOT NULL,
  page_mac TEXT NOT NULL,
  -- The port of the daemon when the browser signed in: a session is valid there only.
  port INTEGER NOT NULL,
  user_agent TEXT NOT NULL,
  created_at TEXT NOT NULL,
  used_at TEXT NOT NULL
) STRICT;
