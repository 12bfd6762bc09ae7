-- The first schema. Conventions (units, row numbers of facts, folded columns)
-- are described in doc.go of package sqlite.

CREATE TABLE spaces (
  row     INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL UNIQUE,
  name    TEXT NOT NULL UNIQUE,
  kind    TEXT NOT NULL,
  root    TEXT UNIQUE,
  policy  BLOB,
  created INTEGER,
  synced  INTEGER
) STRICT;

CREATE TABLE mappings (
  glob  TEXT PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Derived from documents.

CREATE TABLE documents (
  row         INTEGER PRIMARY KEY,
  space       INTEGER NOT NULL REFERENCES spaces,
  path        TEXT NOT NULL,
  id          TEXT NOT NULL,
  declared    INTEGER NOT NULL,   -- 1 when the document carries its id itself
  format      TEXT NOT NULL,
  hash        BLOB NOT NULL,
  size        INTEGER NOT NULL,
  mod_time_ns INTEGER,
  indexed     INTEGER,
  version     INTEGER NOT NULL,
  UNIQUE (space, path)
) STRICT;

-- Row numbers of pages are never used again (AUTOINCREMENT): the full-text
-- index and vectors know pages by them.
CREATE TABLE pages (
  row         INTEGER PRIMARY KEY AUTOINCREMENT,
  document    INTEGER NOT NULL REFERENCES documents,
  space       INTEGER NOT NULL,   -- that of the document
  node        TEXT NOT NULL,
  position    INTEGER NOT NULL,   -- within the document, its own page first
  id          TEXT NOT NULL,
  declared    TEXT NOT NULL,
  slug        TEXT NOT NULL,
  title       TEXT NOT NULL,
  title_fold  TEXT NOT NULL,
  type        TEXT NOT NULL,
  type_fold   TEXT NOT NULL,
  status      TEXT NOT NULL,
  line        INTEGER NOT NULL,
  created     INTEGER,
  updated     INTEGER,
  summary     TEXT NOT NULL,
  tags        BLOB NOT NULL,      -- lists, see list.go
  aliases     BLOB NOT NULL,
  names       BLOB NOT NULL,
  UNIQUE (document, node),
  UNIQUE (id, space)
) STRICT;

CREATE INDEX pages_declared ON pages (space, declared) WHERE declared <> '';

-- names and tags repeat the lists of pages for look-up.
CREATE TABLE names (
  key   TEXT NOT NULL,
  page  INTEGER NOT NULL,
  PRIMARY KEY (key, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  tag_fold TEXT NOT NULL,
  page     INTEGER NOT NULL,
  tag      TEXT NOT NULL,
  PRIMARY KEY (tag_fold, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  row         INTEGER PRIMARY KEY, -- page and position
  target      INTEGER REFERENCES pages DEFERRABLE INITIALLY DEFERRED, -- see bulk.go
  candidates  INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  type        TEXT NOT NULL,
  name        TEXT NOT NULL,
  key         TEXT NOT NULL,
  heading     TEXT NOT NULL,
  text        TEXT NOT NULL,
  valid_from  TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  context     TEXT NOT NULL,
  line        INTEGER NOT NULL
) STRICT;

CREATE INDEX links_key ON links (key);
CREATE INDEX links_target ON links (target) WHERE target IS NOT NULL;

CREATE TABLE observations (
  row      INTEGER PRIMARY KEY,    -- page and position
  category TEXT NOT NULL,
  text     TEXT NOT NULL,
  tags     BLOB NOT NULL,
  context  TEXT NOT NULL,
  line     INTEGER NOT NULL
) STRICT;

CREATE TABLE entries (
  row    INTEGER PRIMARY KEY,      -- page and position
  date   TEXT NOT NULL,
  source TEXT NOT NULL,
  text   TEXT NOT NULL,
  detail TEXT NOT NULL,
  line   INTEGER NOT NULL
) STRICT;

CREATE TABLE warnings (
  row  INTEGER PRIMARY KEY,        -- page and position
  code TEXT NOT NULL,
  text TEXT NOT NULL,
  line INTEGER NOT NULL
) STRICT;

-- Operational.

CREATE TABLE writes (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  time      INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  operation TEXT NOT NULL,
  message   TEXT NOT NULL,
  undoes    INTEGER NOT NULL,
  first     INTEGER NOT NULL,      -- its versions have seq in [first, last]
  last      INTEGER NOT NULL
) STRICT;

CREATE TABLE versions (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  write   INTEGER NOT NULL,
  space   INTEGER NOT NULL,
  page    TEXT NOT NULL,
  version INTEGER NOT NULL,
  change  TEXT NOT NULL,
  path    TEXT NOT NULL,
  title   TEXT NOT NULL,
  hash    BLOB,                    -- NULL when deleted
  size    INTEGER NOT NULL,
  UNIQUE (page, space, version)
) STRICT;

CREATE TABLE blobs (
  row   INTEGER PRIMARY KEY,
  hash  BLOB NOT NULL UNIQUE,
  size  INTEGER NOT NULL,          -- of the bytes themselves
  codec INTEGER NOT NULL,          -- 0 as they are, 1 zstd
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE journal (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  record BLOB NOT NULL
) STRICT;

CREATE TABLE failures (
  space       INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  path        TEXT NOT NULL,
  reason      TEXT NOT NULL,
  count       INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  mod_time_ns INTEGER,
  last        INTEGER,
  PRIMARY KEY (space, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
