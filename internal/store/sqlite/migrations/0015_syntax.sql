-- The syntax of the documents by which all rows of a space were derived: one whose
-- policy names another is derived again.
ALTER TABLE spaces ADD COLUMN syntax TEXT NOT NULL DEFAULT '';
