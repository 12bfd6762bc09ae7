// Package lint says what is wrong with a document, with a source, and with the pages
// of a space as a set.
//
// It is pure: it sees documents, rows and the rules of a policy as data, and returns
// findings. Who reads files, refuses writes or prints findings is elsewhere.
//
// Invariants:
//   - A finding says where and of what kind. It holds an id, a key or a path, and
//     never other text of the document.
//   - New tells what a change broke from what was so before, wherever the lines are.
package lint
