// Package secrets finds credentials in text, so that they can be refused
// before they reach a disk, a journal, an index or a log, and hides those
// that are already in a file that cairn only reads.
//
// How it works: rules.toml says what a credential looks like. One pass over
// the text looks up every two bytes and stops at anchors, the short strings
// that every kind of credential carries ("ghp_", "://", "password"). Only
// there an expression of the table, or code, looks at the surroundings, within
// bounds, so the work is linear in the text whatever the text is, one line of
// 50 MB included. The same is done to the text as a reader sees it, when
// something in it is encoded.
//
// Invariants: a value never leaves the package; a Finding, an error and a
// string made from either hold only the rule, its words and the line. Spans
// lie within the text, in order, and do not overlap. Masking changes no line
// break and no length. The number of findings is bounded by maxFindings; past
// it the rest of the text counts as one finding, so that nothing slips by.
//
// Pure: no clock, files or environment; the table is read once and never
// changed. What is kept between calls, hashes of texts without credentials,
// changes no answer.
package secrets
