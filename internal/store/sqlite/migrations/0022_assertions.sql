-- What is asserted in sidecars. They are facts of the document's own page: their rows
-- are page and position.
CREATE TABLE assertions (
  row         INTEGER PRIMARY KEY,
  subject     TEXT NOT NULL,
  subject_key TEXT NOT NULL, -- by which pages are found, as key of links
  predicate   TEXT NOT NULL,
  object      TEXT NOT NULL,
  object_key  TEXT NOT NULL,
  valid_from  TEXT NOT NULL, -- '' when it is not known
  valid_until TEXT NOT NULL,
  nth         INTEGER NOT NULL,
  supersedes  INTEGER NOT NULL, -- 0 for none
  confidence  REAL NOT NULL,
  asserted_by TEXT NOT NULL,
  source      TEXT NOT NULL,
  evidence    TEXT NOT NULL,
  first_line  INTEGER NOT NULL, -- of the document in which the evidence stands; 0 where it does not
  last_line   INTEGER NOT NULL,
  created     TEXT NOT NULL,
  line        INTEGER NOT NULL
) STRICT;

CREATE INDEX assertions_subject ON assertions (subject_key);
CREATE INDEX assertions_object ON assertions (object_key);
CREATE INDEX assertions_superseding ON assertions (supersedes) WHERE supersedes <> 0;
