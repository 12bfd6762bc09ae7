-- A vault may give a page dozens of keywords as values of one property: sorted by
-- value, they cost more to write than all else of the page, while no query reads
-- more than the rows of one key.
DROP INDEX properties_key;
CREATE INDEX properties_key ON properties (key);
