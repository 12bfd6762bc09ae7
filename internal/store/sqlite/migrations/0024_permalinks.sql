-- The name of a page in URIs; '' for pages of before this, until they are derived again.
ALTER TABLE pages ADD COLUMN permalink TEXT NOT NULL DEFAULT '';
