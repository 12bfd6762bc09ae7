-- Sentences by which what a link of the page says is over. They are facts: their rows
-- are page and position.
CREATE TABLE endings (
  row   INTEGER PRIMARY KEY,
  link  INTEGER NOT NULL, -- row in links
  until TEXT NOT NULL,    -- '' when the sentence gives no date
  quote TEXT NOT NULL,
  line  INTEGER NOT NULL
) STRICT;

-- Relations are few among links.
CREATE INDEX links_typed ON links (row) WHERE type <> 'links_to';

-- Contradictions that somebody dismissed. Operational.
CREATE TABLE dismissals (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  id    TEXT NOT NULL, -- made of both sides: it is another one when a side changes
  note  TEXT NOT NULL CHECK (note <> ''),
  time  INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
