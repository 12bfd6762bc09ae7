-- Relations of one type are asked for: those that a policy gives an effect.
CREATE INDEX links_type ON links (type) WHERE type <> 'links_to';
