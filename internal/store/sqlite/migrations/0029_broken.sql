-- A function in the condition of an index makes SQLite keep a journal of its own for each
-- statement that changes links (see bulk.go). So days are told apart by the key that the
-- index has.
DROP INDEX links_broken;
CREATE INDEX links_broken ON links (row, key) WHERE target IS NULL AND candidates <= 1
  AND kind NOT IN ('org-cite', 'mention');
