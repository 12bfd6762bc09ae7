// Package login makes and checks what lets a person into the web UI: the name of its
// host, the link that opens it, and the session that follows.
//
// All three are derived from the owner's token: replacing the token ends every session
// and every link.
//
// Invariants:
//   - A link is valid for LinkTime and a session for SessionTime; neither is valid as the
//     other.
//   - Both name their actor, and the signature covers the name.
//   - A link works once, and a session that was ended is valid nowhere: a Ledger keeps them.
package login
