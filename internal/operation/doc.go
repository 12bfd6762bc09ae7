// Package operation holds what a program can ask of cairn, and how agents are
// offered it.
//
// An operation is a function with typed input and answer, and what holds of it
// whoever asks: whether it changes anything, and its HTTP route. A tool is a
// name, sets, words and schemas over an operation. Most tools are an operation
// as it stands; others have arguments and answers of their own, so that a set of
// tools that agents know from elsewhere adds no operation and no route. HTTP
// routes and their OpenAPI document are made from the operations; MCP tools,
// cairn call and cairn pipe from the tools.
//
// Invariants:
//   - Input is read in one place: for tools forgiving where no harm can come of
//     it (a number as text, one value for a list), strict where it can (names
//     that do not exist).
//   - What a tool makes of its input fits the schema of its operation, so that
//     no tool can ask for what a program could not.
//   - Answers are short unless more is asked for, and every page in them is
//     named by a ref that says which space it is in.
//   - No decision about pages is made here: an operation calls app once or
//     twice and chooses what of the answer to pass on. A tool only renames and
//     rearranges.
package operation
