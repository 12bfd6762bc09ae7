// Package operation is the table of what a program can ask of cairn: name,
// words for an agent, JSON schemas of input and answer, HTTP route, and the
// function that does it. MCP tools, HTTP routes, cairn call and cairn pipe are
// all made from this table, so that they cannot differ.
//
// Invariants:
//   - Input is read in one place: forgiving where no harm can come of it (a
//     number as text, one value for a list), strict where it can (names that
//     do not exist).
//   - Answers are short unless more is asked for, and every page in them is
//     named by a ref that says which space it is in.
//   - No decision about pages is made here: an operation calls app once or
//     twice and chooses what of the answer to pass on.
//
// It imports app and kb, and no surface imports another.
package operation
