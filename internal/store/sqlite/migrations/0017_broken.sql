-- Links that lead nowhere and should not, and those that may lead to several pages,
-- are counted after each write: with these, without reading all links.
CREATE INDEX links_broken ON links (row) WHERE target IS NULL AND candidates <= 1
  AND kind NOT IN ('org-cite', 'mention') AND key NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]';
CREATE INDEX links_ambiguous ON links (row) WHERE candidates > 1;
