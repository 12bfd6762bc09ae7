-- Questions that the memory could not answer. Operational.

-- Until somebody approved that it is kept, nothing of a question's wording
-- stands here but its hash. The checks hold that for whoever writes.
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
  resolved_name TEXT,
  CHECK ((sensitivity = 'internal') = (approved IS NULL)),
  CHECK ((approver IS NULL) = (approved IS NULL) AND (approved_kind IS NULL) = (approved IS NULL) AND (approved_name IS NULL) = (approved IS NULL)),
  CHECK (question IS NULL OR approved IS NOT NULL),
  CHECK (question IS NOT NULL OR sensitivity <> 'external'),
  CHECK (redacted IS NULL OR approved IS NOT NULL),
  CHECK (redacted IS NOT NULL OR sensitivity <> 'redacted'),
  CHECK ((page IS NULL) = (resolved IS NULL) AND (resolved_kind IS NULL) = (resolved IS NULL) AND (resolved_name IS NULL) = (resolved IS NULL)),
  CHECK (page_space IS NULL OR page IS NOT NULL)
) STRICT;

-- A question is open once in a space. The start of every session counts those
-- that are open: with this it reads an index.
CREATE UNIQUE INDEX gaps_open ON gaps (space, hash) WHERE resolved IS NULL;
