-- The policy that a person accepted for the directory of a space; NULL where nobody did.
-- Directories that were added before ask once: whether their policies were written by
-- this program or came from elsewhere is not known.
ALTER TABLE spaces ADD COLUMN accepted BLOB;
