-- The full-text index, see package search/lexical. All of it is derived.

CREATE TABLE lexical_segments (
  row     INTEGER PRIMARY KEY,
  header  BLOB,               -- NULL until the segment is complete
  deletes BLOB
) STRICT;

-- row is the segment's row shifted left by 32, the stream by 29, and the page:
-- pages that are read together are neighbours, and no other index is needed.
CREATE TABLE lexical_pages (
  row   INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
