-- What came from outside in one go, and the bytes of it as they came.
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

CREATE INDEX batches_space ON batches (space, created);

CREATE TABLE batch_items (
  batch INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
  path  TEXT NOT NULL,
  page  TEXT NOT NULL, -- id of the page that it became; '' for none
  hash  BLOB NOT NULL,
  PRIMARY KEY (batch, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_items_hash ON batch_items (hash);

-- The bytes that versions and batches need.
DROP VIEW version_bytes;
CREATE VIEW version_bytes AS
SELECT seq, space, pruned, hash FROM versions WHERE hash IS NOT NULL
UNION ALL
SELECT seq, space, pruned, side_hash FROM versions WHERE side_hash IS NOT NULL
UNION ALL
SELECT NULL, b.space, 0, i.hash FROM batch_items i JOIN batches b ON b.row = i.batch;
