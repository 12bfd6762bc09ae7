-- Vectors of passages that no page has any more. Derived, and needed by nobody:
-- who embeds the same passage again takes them from here.

-- A log of which the newest bytes are kept, so that it never grows large: upto
-- is how many bytes of vectors stand in it up to the end of the row.
CREATE TABLE spare_vectors (
  upto  INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES models,
  info  BLOB NOT NULL,
  vals  BLOB NOT NULL,
  size  INTEGER NOT NULL CHECK (size = length(vals)) -- last, so that a memory that lacks its end is noticed
) STRICT;
