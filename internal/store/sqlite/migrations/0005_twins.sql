-- What a path is on systems that know no difference of case or normal form:
-- kb.FoldPath of it, which the function fold_path is.

ALTER TABLE documents ADD COLUMN path_fold TEXT NOT NULL DEFAULT '';
UPDATE documents SET path_fold = fold_path(path);
CREATE INDEX documents_path_fold ON documents (space, path_fold);
