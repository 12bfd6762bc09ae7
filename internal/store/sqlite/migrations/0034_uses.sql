-- The day on which a page was last recalled, read or edited. Operational: it keeps a page
-- that is in use from ageing, and is no part of its history.
CREATE TABLE uses (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  page  TEXT NOT NULL, -- id
  day   TEXT NOT NULL,
  PRIMARY KEY (space, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten_uses (
  space INTEGER NOT NULL REFERENCES forgotten_spaces ON DELETE CASCADE,
  page  TEXT NOT NULL,
  day   TEXT NOT NULL,
  PRIMARY KEY (space, page)
) STRICT, WITHOUT ROWID;
-- Relations that cairn added because texts are alike. Nobody said that their pages matter.
CREATE INDEX links_automatic ON links (row) WHERE context >= 'auto 0.' AND context < 'auto 0/' OR context = 'auto 1.00';
