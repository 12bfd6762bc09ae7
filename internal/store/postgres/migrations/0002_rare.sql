-- rare is the number of the newest change to a table that rarely changes; see remember.go.
ALTER TABLE meta ADD rare bigint NOT NULL DEFAULT 0;

-- readable is the oldest schema that a program may know and still read this one. A migration
-- that changes the meaning of rows sets it to its own number.
ALTER TABLE meta ADD readable bigint NOT NULL DEFAULT 2;
