-- The schema after migration 0041_typed, 8c2ff7c7fab730013765067a2a96b2622e45a48eeb6c32e51fe7c4ad40567602.
CREATE TABLE mappings (
  glob  TEXT PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
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
  version     INTEGER NOT NULL, path_fold TEXT NOT NULL DEFAULT '', recorded INTEGER, file_sum INTEGER, side_hash BLOB, side_size INTEGER, side_mod_time_ns INTEGER,
  UNIQUE (space, path)
) STRICT;
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
  names       BLOB NOT NULL, day TEXT, wing TEXT, wing_key TEXT, room TEXT, truth_sum INTEGER NOT NULL DEFAULT 0, timeline_sum INTEGER NOT NULL DEFAULT 0, truth_updated INTEGER, timeline_updated INTEGER, permalink TEXT NOT NULL DEFAULT '', as_of TEXT NOT NULL DEFAULT '',
  UNIQUE (document, node),
  UNIQUE (id, space)
) STRICT;
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
  size    INTEGER NOT NULL, mod_time_ns INTEGER, pruned INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1)), side_hash BLOB, side_size INTEGER,
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
CREATE TABLE lexical_segments (
  row     INTEGER PRIMARY KEY,
  header  BLOB,               -- NULL until the segment is complete
  deletes BLOB
) STRICT;
CREATE TABLE lexical_pages (
  row   INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE models (
  row     INTEGER PRIMARY KEY AUTOINCREMENT,
  name    TEXT NOT NULL UNIQUE,
  source  TEXT NOT NULL,
  dims    INTEGER NOT NULL,
  active  INTEGER NOT NULL CHECK (active IN (0, 1)),
  created INTEGER,
  config  TEXT NOT NULL
) STRICT;
CREATE TABLE embedded (
  model    INTEGER NOT NULL REFERENCES models,
  page     INTEGER NOT NULL,
  document INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  version  TEXT NOT NULL,
  chunks   INTEGER NOT NULL,
  PRIMARY KEY (model, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE bundles (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  model  INTEGER NOT NULL REFERENCES models,
  number INTEGER NOT NULL,         -- of its pages: their rows shifted right by 5
  bytes  BLOB NOT NULL,
  UNIQUE (model, number)
) STRICT;
CREATE TABLE gaps (
  row           INTEGER PRIMARY KEY AUTOINCREMENT,
  space         INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  hash          BLOB NOT NULL CHECK (length(hash) = 32),
  context       TEXT NOT NULL,
  score         REAL,
  count         INTEGER NOT NULL,
  first         INTEGER NOT NULL,
  last          INTEGER NOT NULL,
  kind          TEXT NOT NULL,      -- of who asked last
  name          TEXT NOT NULL,
  sensitivity   TEXT NOT NULL CHECK (sensitivity IN ('internal', 'redacted', 'external')),
  question      TEXT,
  redacted      TEXT,
  approver      TEXT,
  approved      INTEGER,
  approved_kind TEXT,               -- of who passed the approval on
  approved_name TEXT,
  resolved      INTEGER,
  page          TEXT,               -- the id of the page that answers
  page_space    INTEGER REFERENCES spaces ON DELETE SET NULL,
  resolved_kind TEXT,
  resolved_name TEXT, confidence REAL, candidate TEXT, candidate_space INTEGER REFERENCES spaces ON DELETE SET NULL, words TEXT,
  CHECK ((sensitivity = 'internal') = (approved IS NULL)),
  CHECK ((approver IS NULL) = (approved IS NULL) AND (approved_kind IS NULL) = (approved IS NULL) AND (approved_name IS NULL) = (approved IS NULL)),
  CHECK (question IS NULL OR approved IS NOT NULL),
  CHECK (question IS NOT NULL OR sensitivity <> 'external'),
  CHECK (redacted IS NULL OR approved IS NOT NULL),
  CHECK (redacted IS NOT NULL OR sensitivity <> 'redacted'),
  CHECK ((page IS NULL) = (resolved IS NULL) AND (resolved_kind IS NULL) = (resolved IS NULL) AND (resolved_name IS NULL) = (resolved IS NULL)),
  CHECK (page_space IS NULL OR page IS NOT NULL)
) STRICT;
CREATE TABLE spare_vectors (
  upto  INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES models,
  info  BLOB NOT NULL,
  vals  BLOB NOT NULL,
  size  INTEGER NOT NULL CHECK (size = length(vals)) -- last, so that a memory that lacks its end is noticed
) STRICT;
CREATE TABLE properties (
  row       INTEGER PRIMARY KEY,
  key       TEXT NOT NULL,        -- in one spelling, keys of nested maps joined with "."
  text      TEXT NOT NULL,
  text_fold TEXT NOT NULL,
  number    REAL                  -- NULL when text is none
) STRICT;
CREATE TABLE items (
  row       INTEGER PRIMARY KEY,
  kind      TEXT NOT NULL,
  text      TEXT NOT NULL,
  state     TEXT NOT NULL,        -- as written
  done      INTEGER NOT NULL CHECK (done IN (0, 1)),
  due       TEXT NOT NULL,        -- dates are ISO 8601 with or without a time, '' when there is none
  scheduled TEXT NOT NULL,
  start     TEXT NOT NULL,
  completed TEXT NOT NULL,
  created   TEXT NOT NULL,
  line      INTEGER NOT NULL CHECK (line > 0) -- last, so that a memory that lacks its end is noticed
) STRICT;
CREATE TABLE dismissals (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  id    TEXT NOT NULL, -- made of both sides: it is another one when a side changes
  note  TEXT NOT NULL CHECK (note <> ''),
  time  INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE assertions (
  row         INTEGER PRIMARY KEY,
  subject     TEXT NOT NULL,
  subject_key TEXT NOT NULL, -- by which pages are found, as key of links
  predicate   TEXT NOT NULL,
  object      TEXT NOT NULL,
  object_key  TEXT NOT NULL,
  valid_from  TEXT NOT NULL, -- '' when it is not known
  valid_until TEXT NOT NULL,
  nth         INTEGER NOT NULL,
  supersedes  INTEGER NOT NULL, -- 0 for none
  confidence  REAL NOT NULL,
  asserted_by TEXT NOT NULL,
  source      TEXT NOT NULL,
  evidence    TEXT NOT NULL,
  first_line  INTEGER NOT NULL, -- of the document in which the evidence stands; 0 where it does not
  last_line   INTEGER NOT NULL,
  created     TEXT NOT NULL,
  line        INTEGER NOT NULL
) STRICT;
CREATE TABLE batches (
  row     INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  space   INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  kind    TEXT NOT NULL,
  source  TEXT NOT NULL, -- where it came from, as it was named last
  plan    BLOB, -- hash of what was made of it; NULL for none
  created INTEGER NOT NULL,
  items   INTEGER NOT NULL
) STRICT;
CREATE TABLE batch_items (
  batch INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
  path  TEXT NOT NULL,
  page  TEXT NOT NULL, -- id of the page that it became; '' for none
  hash  BLOB NOT NULL,
  PRIMARY KEY (batch, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE page_counts (
  space  INTEGER NOT NULL,
  status TEXT NOT NULL,
  pages  INTEGER NOT NULL,
  PRIMARY KEY (space, status)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_spaces (
  row      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL,
  kind     TEXT NOT NULL,
  root     TEXT,
  origin   TEXT,
  policy   BLOB,
  accepted BLOB,
  created  INTEGER,
  time     INTEGER NOT NULL        -- when it was forgotten
, host TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE forgotten_mappings (
  space INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  glob  TEXT NOT NULL,
  PRIMARY KEY (space, glob)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_documents (
  space            INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  path             TEXT NOT NULL,
  id               TEXT NOT NULL,
  declared         INTEGER NOT NULL,
  format           TEXT NOT NULL,
  hash             BLOB NOT NULL,
  size             INTEGER NOT NULL,
  mod_time_ns      INTEGER,
  indexed          INTEGER,
  version          INTEGER NOT NULL,
  path_fold        TEXT NOT NULL,
  recorded         INTEGER,
  file_sum         INTEGER,
  side_hash        BLOB,
  side_size        INTEGER,
  side_mod_time_ns INTEGER,
  PRIMARY KEY (space, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_writes (      -- a write to several spaces is here once for each
  space     INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  id        INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  operation TEXT NOT NULL,
  message   TEXT NOT NULL,
  undoes    INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  last      INTEGER NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_versions (
  space       INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  seq         INTEGER NOT NULL,
  write       INTEGER NOT NULL,
  page        TEXT NOT NULL,
  version     INTEGER NOT NULL,
  change      TEXT NOT NULL,
  path        TEXT NOT NULL,
  title       TEXT NOT NULL,
  hash        BLOB,
  size        INTEGER NOT NULL,
  mod_time_ns INTEGER,
  pruned      INTEGER NOT NULL,
  side_hash   BLOB,
  side_size   INTEGER,
  PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_gaps (        -- the rules for its questions are those of gaps
  space           INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  row             INTEGER NOT NULL,
  hash            BLOB NOT NULL,
  context         TEXT NOT NULL,
  score           REAL,
  count           INTEGER NOT NULL,
  first           INTEGER NOT NULL,
  last            INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  name            TEXT NOT NULL,
  sensitivity     TEXT NOT NULL,
  question        TEXT,
  redacted        TEXT,
  approver        TEXT,
  approved        INTEGER,
  approved_kind   TEXT,
  approved_name   TEXT,
  resolved        INTEGER,
  page            TEXT,
  page_space      INTEGER,
  resolved_kind   TEXT,
  resolved_name   TEXT,
  confidence      REAL,
  candidate       TEXT,
  candidate_space INTEGER,
  PRIMARY KEY (space, row),
  CHECK (question IS NULL OR approved IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_dismissals (
  space INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  id    TEXT NOT NULL,
  note  TEXT NOT NULL,
  time  INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_batches (
  space   INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  id      TEXT NOT NULL,
  kind    TEXT NOT NULL,
  source  TEXT NOT NULL,
  plan    BLOB,
  created INTEGER NOT NULL,
  items   INTEGER NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_batch_items (
  space INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  batch TEXT NOT NULL,               -- id of the batch
  path  TEXT NOT NULL,
  page  TEXT NOT NULL,
  hash  BLOB NOT NULL,
  PRIMARY KEY (space, batch, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE uses (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  page  TEXT NOT NULL, -- id
  day   TEXT NOT NULL,
  PRIMARY KEY (space, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_uses (
  space INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  page  TEXT NOT NULL,
  day   TEXT NOT NULL,
  PRIMARY KEY (space, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE endings (
  row     INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL, -- row in links, 0 for the page itself
  object  INTEGER NOT NULL, -- likewise; 0 for the page itself or for a name
  name    TEXT NOT NULL,    -- of the object, a value of the metadata; '' for none
  until   TEXT NOT NULL,    -- '' when the statement gives no date
  said_on TEXT NOT NULL,    -- date of the statement, '' when it has none
  source  TEXT NOT NULL,    -- that it cites, or of its entry
  entry   INTEGER NOT NULL, -- it is in the timeline
  quote   TEXT NOT NULL,
  line    INTEGER NOT NULL
) STRICT;
CREATE TABLE "spaces" (
  row        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL UNIQUE,
  kind       TEXT NOT NULL,
  root       TEXT,
  policy     BLOB,
  created    INTEGER,
  synced     INTEGER,
  origin     TEXT,
  derivation INTEGER NOT NULL DEFAULT 0,
  syntax     TEXT NOT NULL DEFAULT '',
  filing     TEXT NOT NULL DEFAULT '',
  accepted   BLOB,
  host       TEXT NOT NULL DEFAULT '',
  UNIQUE (host, root)
) STRICT;
CREATE INDEX pages_declared ON pages (space, declared) WHERE declared <> '';
CREATE INDEX links_key ON links (key);
CREATE INDEX links_target ON links (target) WHERE target IS NOT NULL;
CREATE UNIQUE INDEX models_active ON models (active) WHERE active = 1;
CREATE INDEX documents_path_fold ON documents (space, path_fold);
CREATE UNIQUE INDEX gaps_open ON gaps (space, hash) WHERE resolved IS NULL;
CREATE INDEX properties_key ON properties (key);
CREATE INDEX documents_file_sum ON documents (space, file_sum);
CREATE INDEX entries_date ON entries (date);
CREATE INDEX links_ambiguous ON links (row) WHERE candidates > 1;
CREATE INDEX assertions_subject ON assertions (subject_key);
CREATE INDEX assertions_object ON assertions (object_key);
CREATE INDEX assertions_superseding ON assertions (supersedes) WHERE supersedes <> 0;
CREATE INDEX links_type ON links (type) WHERE type <> 'links_to';
CREATE INDEX batches_space ON batches (space, created);
CREATE INDEX batch_items_hash ON batch_items (hash);
CREATE INDEX pages_newest ON pages (space, status, updated DESC);
CREATE TRIGGER page_added AFTER INSERT ON pages BEGIN
  INSERT INTO page_counts VALUES (new.space, new.status, 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
END;
CREATE TRIGGER page_removed AFTER DELETE ON pages BEGIN
  UPDATE page_counts SET pages = pages - 1 WHERE space = old.space AND status = old.status;
END;
CREATE TRIGGER page_moved AFTER UPDATE OF space, status ON pages
WHEN old.space <> new.space OR old.status <> new.status BEGIN
  UPDATE page_counts SET pages = pages - 1 WHERE space = old.space AND status = old.status;
  INSERT INTO page_counts VALUES (new.space, new.status, 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
END;
CREATE INDEX pages_nodes ON pages (space) WHERE node <> '';
CREATE INDEX links_typed ON links (row, type, target, valid_until) WHERE type <> 'links_to';
CREATE INDEX links_broken ON links (row, key) WHERE target IS NULL AND candidates <= 1
  AND kind NOT IN ('org-cite', 'mention');
CREATE INDEX versions_deleted ON versions (space, path) WHERE change = 'deleted';
CREATE VIEW version_bytes AS
SELECT seq, space, pruned, hash FROM versions WHERE hash IS NOT NULL
UNION ALL
SELECT seq, space, pruned, side_hash FROM versions WHERE side_hash IS NOT NULL
UNION ALL
SELECT NULL, b.space, 0, i.hash FROM batch_items i JOIN batches b ON b.row = i.batch
UNION ALL
SELECT NULL, space, pruned, hash FROM forgotten_versions WHERE hash IS NOT NULL
UNION ALL
SELECT NULL, space, pruned, side_hash FROM forgotten_versions WHERE side_hash IS NOT NULL
UNION ALL
SELECT NULL, space, 0, hash FROM forgotten_batch_items;
CREATE INDEX links_automatic ON links (row) WHERE context >= 'auto 0.' AND context < 'auto 0/' OR context = 'auto 1.00';
CREATE INDEX links_inbound ON links (target, type) WHERE type <> 'links_to';
CREATE INDEX properties_listed ON properties (key, text) WHERE key = 'projects' OR key = 'status';
CREATE INDEX pages_typed ON pages (space, type_fold, updated DESC) WHERE type_fold <> '';
INSERT INTO sqlite_sequence (name, seq) VALUES ('bundles', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('spaces', 0);
