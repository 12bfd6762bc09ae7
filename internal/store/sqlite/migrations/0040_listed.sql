-- Projects and statuses are read of all pages for each question that is ranked by fields: here
-- they are together and in order. Other keys have too many values to be worth an index.
-- PostgreSQL has none: its indexes refuse long texts.
CREATE INDEX properties_listed ON properties (key, text) WHERE key = 'projects' OR key = 'status';
