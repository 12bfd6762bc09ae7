-- The machine that had the directory of a forgotten space, as in spaces.
ALTER TABLE forgotten_spaces ADD host text COLLATE "C" NOT NULL DEFAULT '';
