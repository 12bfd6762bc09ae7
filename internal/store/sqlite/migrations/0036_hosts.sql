-- The machine that has the directory of a space, '' where the memory is on one machine.
ALTER TABLE spaces ADD COLUMN host TEXT NOT NULL DEFAULT '';
