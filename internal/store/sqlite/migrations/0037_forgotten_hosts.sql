-- The machine that had the directory of a forgotten space, as in spaces.
ALTER TABLE forgotten_spaces ADD COLUMN host TEXT NOT NULL DEFAULT '';
