-- The words of a question that was not answered, as long as it is open: for the people and
-- agents of this machine. They need no approval, and leave it through nothing else.
ALTER TABLE gaps ADD COLUMN words TEXT;
