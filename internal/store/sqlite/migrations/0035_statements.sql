-- Statements of pages that a relation is over: the subject may be another page that they
-- link to, and the object the page itself or a value of its metadata.
DROP TABLE endings;
CREATE TABLE endings (
  row     INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL, -- row in links, 0 for the page itself
  object  INTEGER NOT NULL, -- likewise; 0 for the page itself or for a name
  name    TEXT NOT NULL,    -- of the object, a value of the metadata; '' for none
  until   TEXT NOT NULL,    -- '' when the statement gives no date
  said_on TEXT NOT NULL,    -- date of the statement, '' when it has none
  source  TEXT NOT NULL,    -- that it cites, or of its entry
  entry   INTEGER NOT NULL, -- it is in the timeline
  quote   TEXT NOT NULL,
  line    INTEGER NOT NULL
) STRICT;

-- As of when a truth says that it holds, an ISO date of any precision; '' for none.
ALTER TABLE pages ADD COLUMN as_of TEXT NOT NULL DEFAULT '';
