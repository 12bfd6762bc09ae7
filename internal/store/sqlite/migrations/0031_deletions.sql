-- Deletions by path: a page that is created in a space with append-only timelines must carry
-- the entries of a deleted page at its path.
CREATE INDEX versions_deleted ON versions (space, path) WHERE change = 'deleted';
