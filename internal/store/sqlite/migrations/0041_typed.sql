-- The newest pages of a type are listed without a look at all pages of a space: few pages of a
-- vault have one.
CREATE INDEX pages_typed ON pages (space, type_fold, updated DESC) WHERE type_fold <> '';
