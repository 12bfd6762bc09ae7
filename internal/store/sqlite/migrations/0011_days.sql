-- The day that a page is of, as YYYY-MM-DD: it sorts as text. NULL when neither
-- the page nor its path says one.
ALTER TABLE pages ADD COLUMN day TEXT;

-- The number of the rules by which all rows of a space were derived, 0 for those
-- of before this: a cairn with other rules derives them again.
ALTER TABLE spaces ADD COLUMN derivation INTEGER NOT NULL DEFAULT 0;

-- When the newest version of a document was recorded: a page that says no day is of
-- that time.
ALTER TABLE documents ADD COLUMN recorded INTEGER;
UPDATE documents SET recorded = (
  SELECT w.time FROM versions v JOIN writes w ON w.id = v.write
  WHERE v.page = documents.id AND v.space = documents.space AND v.version = documents.version);
