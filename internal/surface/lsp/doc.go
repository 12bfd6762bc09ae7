// Package lsp serves editors: the Language Server Protocol 3.17 over two streams, for
// documents in Markdown and Org.
//
// It has its own framing and those types of the protocol that it uses. The libraries for Go
// bring thousands of types, reflection and a logger of their own, and none reads positions.
//
// Invariants:
//   - A request is answered from the texts that the editor had sent when it came.
//   - A document outside of all spaces, or without a memory, gets an empty answer and no error.
//   - Nothing is written unless a person asks for it with a command or a rename.
//   - A message of any content ends neither the process nor the session, unless its length is
//     unknown. Positions outside of a text are taken for its nearest.
//   - When Run returns, every goroutine that it started has ended, but for a read of an input
//     that cannot be closed.
package lsp
