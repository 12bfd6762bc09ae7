// Package input reads what a program passes to an operation or a tool: JSON, by
// the schema of its arguments.
//
// Invariants:
//   - Nothing is changed without a word: a number or a character that Go would
//     read as another one is refused.
//   - A strict Reader takes what the schema says and nothing else. Any other
//     forgives what can only be meant in one way, and refuses names that do not
//     exist.
//   - Errors are kb.Usage with the detail "argument" or "byte", and say what is
//     accepted.
//
// It must not import app: what the arguments are for is not known here.
package input
