-- The id that a directory brought in its .cairn/space.toml, which several
-- directories may bring: only one of those spaces has it as its own. NULL where
-- the directory brought none, or was added before this.
ALTER TABLE spaces ADD COLUMN origin TEXT;
