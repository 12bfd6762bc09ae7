-- The vectors of neighbouring pages stand together in one row, a bundle, see
-- bundle.go: few large rows are read several times as fast as one row a page.

-- A page of a model. Staleness is decided by this table alone, without reading
-- bundles. The document is the page's, which it never leaves.
CREATE TABLE embedded (
  model    INTEGER NOT NULL REFERENCES models,
  page     INTEGER NOT NULL,
  document INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  version  TEXT NOT NULL,
  chunks   INTEGER NOT NULL,
  PRIMARY KEY (model, page)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: readers follow changes by seq, so it is never used again.
CREATE TABLE bundles (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  model  INTEGER NOT NULL REFERENCES models,
  number INTEGER NOT NULL,         -- of its pages: their rows shifted right by 5
  bytes  BLOB NOT NULL,
  UNIQUE (model, number)
) STRICT;

-- What belongs to nothing was swept when somebody asked for it; now it must be.
DELETE FROM vectors WHERE page NOT IN (SELECT row FROM pages)
OR seq NOT IN (SELECT max(seq) FROM vectors GROUP BY model, page);

INSERT INTO embedded
SELECT v.model, v.page, p.document, v.hash, v.version, v.chunks
FROM vectors v JOIN pages p ON p.row = v.page ORDER BY v.model, v.page;

-- A row of vectors had 12 bytes of head, 28 a vector, the values and 4 bytes of
-- checksum. The values now stand with those of other pages. What is of another
-- size is damaged, and stays so.
CREATE TEMP TABLE pieces AS
SELECT model, page, sound,
  iif(sound, hex(substr(bytes, 1, 12 + 28 * chunks)) || hex(substr(bytes, -4)), iif(length(bytes), hex(bytes), '00')) AS info,
  iif(sound, hex(substr(bytes, 13 + 28 * chunks, dims * chunks)), '') AS vals
FROM (SELECT v.model, v.page, v.chunks, v.bytes, m.dims, length(v.bytes) = 16 + v.chunks * (28 + m.dims) AS sound
      FROM vectors v JOIN models m ON m.row = v.model);
CREATE INDEX temp.pieces_page ON pieces (model, page);

WITH RECURSIVE place(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i < 31)
INSERT INTO bundles (model, number, bytes)
SELECT b.model, b.number, unhex(
  (SELECT group_concat(p.vals, '' ORDER BY p.page) || group_concat(p.info, '' ORDER BY p.page)
   FROM pieces p WHERE p.model = b.model AND p.page BETWEEN b.number << 5 AND (b.number << 5) + 31)
  || (SELECT group_concat(format('%08X%08X', ifnull(length(p.info) / 2, 0), ifnull(length(p.vals) / 2, 0)), '' ORDER BY i)
      FROM place LEFT JOIN pieces p ON p.model = b.model AND p.page = (b.number << 5) + i))
FROM (SELECT DISTINCT model, page >> 5 AS number FROM pieces) b ORDER BY b.model, b.number;

DROP TABLE pieces;
DROP TABLE vectors;
