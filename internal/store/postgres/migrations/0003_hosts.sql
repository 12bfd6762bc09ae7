-- The machine that has the directory of a space; '' for a space of the database, and until
-- the first sync after this migration. Two machines may have directories of the same path.
ALTER TABLE spaces ADD host text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE spaces DROP CONSTRAINT spaces_root_key;
ALTER TABLE spaces ADD UNIQUE (host, root);
