-- Which types of relations lead to a page is read from this index: a page with thousands of
-- links may have no relation to it.
CREATE INDEX links_inbound ON links (target, type) WHERE type <> 'links_to';
