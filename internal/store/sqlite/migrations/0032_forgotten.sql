-- Spaces that a person forgot, with what cannot be derived from their documents, until they
-- are taken up again or removed for good. Nothing else reads these tables: their rows are
-- moved here and back, so that a forgotten space is in no answer.
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
) STRICT;
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
-- The bytes of a forgotten space are kept.
DROP VIEW version_bytes;
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
