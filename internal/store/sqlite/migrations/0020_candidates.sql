-- How sure the memory was when it answered the question of a gap last, and the page
-- that answered it well, which nobody has confirmed.
ALTER TABLE gaps ADD COLUMN confidence REAL;
ALTER TABLE gaps ADD COLUMN candidate TEXT;
ALTER TABLE gaps ADD COLUMN candidate_space INTEGER REFERENCES spaces ON DELETE SET NULL;
