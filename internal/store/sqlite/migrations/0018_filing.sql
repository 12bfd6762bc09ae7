-- What a page is a part of, and which side of it: from its metadata, or by the filing
-- of its space. wing_key is the wing as it is looked for. When its truth and its
-- timeline changed last, with sums of both by which a change is seen: the sums are 0,
-- and the times NULL, for pages of before this, until they are derived again.
ALTER TABLE pages ADD COLUMN wing TEXT;
ALTER TABLE pages ADD COLUMN wing_key TEXT;
ALTER TABLE pages ADD COLUMN room TEXT;
ALTER TABLE pages ADD COLUMN truth_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN timeline_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN truth_updated INTEGER;
ALTER TABLE pages ADD COLUMN timeline_updated INTEGER;

-- The filing by which all rows of a space were derived: one whose policy has another
-- is derived again.
ALTER TABLE spaces ADD COLUMN filing TEXT NOT NULL DEFAULT '';
