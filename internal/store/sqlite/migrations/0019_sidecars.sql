-- What lies beside a document is part of its versions. The columns are NULL where
-- nothing does.

ALTER TABLE documents ADD COLUMN side_hash BLOB;
ALTER TABLE documents ADD COLUMN side_size INTEGER;
ALTER TABLE documents ADD COLUMN side_mod_time_ns INTEGER;

ALTER TABLE versions ADD COLUMN side_hash BLOB;
ALTER TABLE versions ADD COLUMN side_size INTEGER;

-- The bytes that versions need.
CREATE VIEW version_bytes AS
SELECT seq, space, pruned, hash FROM versions WHERE hash IS NOT NULL
UNION ALL
SELECT seq, space, pruned, side_hash FROM versions WHERE side_hash IS NOT NULL;
