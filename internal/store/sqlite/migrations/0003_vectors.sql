-- Embeddings. Models are operational; vectors are derived from documents by a
-- model, so which pages are still to be embedded is a question, not a table.

CREATE TABLE models (
  row     INTEGER PRIMARY KEY AUTOINCREMENT,
  name    TEXT NOT NULL UNIQUE,
  source  TEXT NOT NULL,
  dims    INTEGER NOT NULL,
  active  INTEGER NOT NULL CHECK (active IN (0, 1)),
  created INTEGER,
  config  TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX models_active ON models (active) WHERE active = 1;

-- AUTOINCREMENT: readers follow changes by seq, so it is never used again.
CREATE TABLE vectors (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  model   INTEGER NOT NULL REFERENCES models,
  page    INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  version TEXT NOT NULL,
  chunks  INTEGER NOT NULL,
  bytes   BLOB NOT NULL
) STRICT;

-- Holds all that staleness is decided by, so that it is decided without
-- reading the rows, which are large.
CREATE INDEX vectors_source ON vectors (model, page, hash, version);
