-- Two machines may have directories of the same path. SQLite cannot drop a constraint, so the
-- table is made again, while foreign keys are off. Row numbers of removed spaces are not used
-- again: forgotten_spaces has some.
CREATE TABLE spaces_with_hosts (
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
INSERT INTO sqlite_sequence (name, seq) SELECT 'spaces_with_hosts', seq FROM sqlite_sequence WHERE name = 'spaces';
INSERT INTO spaces_with_hosts (row, id, name, kind, root, policy, created, synced, origin, derivation, syntax, filing, accepted, host)
SELECT row, id, name, kind, root, policy, created, synced, origin, derivation, syntax, filing, accepted, host FROM spaces;
DROP TABLE spaces;
ALTER TABLE spaces_with_hosts RENAME TO spaces;
