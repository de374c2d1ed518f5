-- Browsers that are signed in. Of both secrets only a keyed hash is kept. These rows are operational, like jobs: no event
-- records them and no replay rebuilds them.
CREATE TABLE sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  cookie_mac TEXT COLLATE "C" NOT NULL,
  page_mac TEXT COLLATE "C" NOT NULL,
  -- The port of the daemon when the browser signed in: a session is valid there only.
  port BIGINT NOT NULL,
  user_agent TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  used_at TEXT COLLATE "C" NOT NULL
);
