// Package secrets finds credentials in text, so that they can be refused
// before they reach a disk, a journal, an index or a log, and hides those
// that are already in a file that cairn only reads.
//
// How it works: one automaton walks the text once and stops at anchors, the
// short strings that every kind of credential carries ("ghp_", "://",
// "password"). Only there does a detector look at the surroundings. Detectors
// are hand-written byte loops with bounded reach, so the time is linear in
// the text whatever the text is, one line of 50 MB included.
//
// Invariants: a value never leaves the package; a Finding, an error and a
// string made from either hold only the rule, its words and the line. Spans
// lie within the text, in order, and do not overlap. Masking changes no line
// break and no length. The number of findings is bounded by maxFindings; past
// it the rest of the text counts as one finding, so that nothing slips by.
//
// Pure: no clock, files, environment or global state.
package secrets
