-- Which pages hold relations that may contradict each other is read from this index,
-- without their rows.
DROP INDEX links_typed;
CREATE INDEX links_typed ON links (row, type, target, valid_until) WHERE type <> 'links_to';
