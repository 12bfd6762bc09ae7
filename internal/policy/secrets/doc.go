// Package secrets finds credentials in text, so that they can be refused before
// they reach a disk, a journal, an index or a log, and masks those that are
// already in a file that cairn only reads.
//
// How it works: rules.toml describes the forms of credentials. One pass over
// the text marks the anchors, the short strings that every kind of credential
// contains ("ghp_", "://", "password"); small filters reject most positions.
// Only at an anchor an expression of the table, or code, examines the
// surroundings, within bounds, so the work is linear for any text, including one
// line of 50 MB. Encoded text is scanned a second time in decoded form, as a
// reader sees it; there only the neighbourhood of decoded bytes is searched for
// new anchors.
//
// Invariants: a value never leaves the package; a Finding, an error and a
// string made from either contain only the rule, its words and the line. Spans
// are within the text, in order, and do not overlap. Masking changes no line
// break and no length. The number of findings is bounded by maxFindings; past
// it the rest of the text counts as one finding, so that nothing is missed.
//
// Pure: no clock, files or environment; the table is read once and never
// changed. Hashes of texts without credentials and classes of names are cached
// between calls; the cache changes no answer.
package secrets
