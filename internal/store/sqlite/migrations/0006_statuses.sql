-- The start of every session counts pages by status: with this it reads an
-- index, not every page.

CREATE INDEX pages_status ON pages (space, status);
