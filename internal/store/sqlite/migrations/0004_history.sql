-- What an index as of a time needs, and what retention lets go.

-- The modification time that the document had when it was indexed; NULL in
-- versions of older schemas.
ALTER TABLE versions ADD COLUMN mod_time_ns INTEGER;

-- 1 when retention let the bytes go. Another version may still keep them.
ALTER TABLE versions ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1));
