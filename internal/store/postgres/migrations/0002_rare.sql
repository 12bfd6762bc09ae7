-- rare is the number of the newest change to a table that rarely changes; see remember.go.
ALTER TABLE meta ADD rare bigint NOT NULL DEFAULT 0;
