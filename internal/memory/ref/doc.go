// Package ref resolves names of pages given by a person or an agent: by id,
// short id, path, slug, title or alias, in the caller's space first. An unknown
// name has suggestions as a hint, an ambiguous one the candidates.
//
// It reads the index and no files.
package ref
