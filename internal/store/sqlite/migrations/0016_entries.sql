-- The timeline of all pages, newest first.
CREATE INDEX entries_date ON entries (date);
