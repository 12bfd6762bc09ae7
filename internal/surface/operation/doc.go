// Package operation holds what a program can ask of cairn, and how agents are
// offered it.
//
// An operation is a function with typed input and answer, and properties common
// to all callers: whether it changes anything, and its HTTP route. A tool is a
// name, sets, words and schemas over an operation. Most tools are an unchanged
// operation; others have arguments and answers of their own, so that a set of
// tools that agents know from elsewhere adds no operation and no route. HTTP
// routes and their OpenAPI document are made from the operations; MCP tools,
// cairn call and cairn pipe from the tools.
//
// Invariants:
//   - Input is read in one place: for tools forgiving where no harm can come of
//     it (a number as text, one value for a list), strict where it can (names
//     that do not exist).
//   - A tool translates its input to the schema of its operation, so that
//     no tool can ask for what a program could not.
//   - Answers are short unless more is asked for, and every page in them is
//     named by a ref that includes its space.
//   - No decision about pages is made here: an operation calls app once or
//     twice and chooses the parts of the answer to pass on. A tool only renames and
//     rearranges.
//
// Package budget keeps the answers of tools within the room that an agent has
// for them, and reports omissions.
//
// Package cost counts what tools cost an agent before it calls any.
//
// Package hint suggests what to do about an error: to programs that call tools,
// which may have no command line, and to users.
//
// Package input reads what a program passes to an operation or a tool: JSON, by
// the schema of its arguments.
//
// Invariants:
//   - Nothing is changed without a word: a number or a character that Go would
//     read as another one is refused.
//   - A strict Reader accepts only input that fits the schema. Any other
//     forgives what can only be meant in one way, and refuses names that do not
//     exist.
//   - Errors are kb.Usage with the detail "argument" or "byte", and list the
//     accepted values.
//
// It must not import app: what the arguments are for is not known here.
package operation
