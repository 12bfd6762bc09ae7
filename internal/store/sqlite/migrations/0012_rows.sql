-- Values that pages give properties, in the frontmatter or drawer and in the text,
-- and the items of pages. Both are facts: their rows are page and position.
CREATE TABLE properties (
  row       INTEGER PRIMARY KEY,
  key       TEXT NOT NULL,        -- in one spelling, keys of nested maps joined with "."
  text      TEXT NOT NULL,
  text_fold TEXT NOT NULL,
  number    REAL                  -- NULL when text is none
) STRICT;

CREATE INDEX properties_key ON properties (key, text_fold);

CREATE TABLE items (
  row       INTEGER PRIMARY KEY,
  kind      TEXT NOT NULL,
  text      TEXT NOT NULL,
  state     TEXT NOT NULL,        -- as written
  done      INTEGER NOT NULL CHECK (done IN (0, 1)),
  due       TEXT NOT NULL,        -- dates are ISO 8601 with or without a time, '' when there is none
  scheduled TEXT NOT NULL,
  start     TEXT NOT NULL,
  completed TEXT NOT NULL,
  created   TEXT NOT NULL,
  line      INTEGER NOT NULL CHECK (line > 0) -- last, so that a memory that lacks its end is noticed
) STRICT;
