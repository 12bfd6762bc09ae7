-- The sum of path, size and modification time of a document's file, NULL where
-- these prove nothing (kb.Racy), which the function file_sum is: whether any of
-- many files changed shows in what all sums come to.

ALTER TABLE documents ADD COLUMN file_sum INTEGER;
UPDATE documents SET file_sum = file_sum(path, size, mod_time_ns, indexed);
CREATE INDEX documents_file_sum ON documents (space, file_sum);
