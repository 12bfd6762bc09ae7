// Package setup writes cairn into the configuration of the clients that agents
// run in: the MCP server, the hook that runs when a session starts, and a few
// lines of instructions.
//
// The files are the person's. Every edit is a splice of bytes: what is not
// ours stays as it is, comments, order and spacing with it, and taking our
// parts out again gives back the bytes that were there. A file that cannot be
// read as what it should be is refused, and then no other file is changed.
//
// Where each client keeps what is data in clients.go. The editors are pure;
// plan.go reads and decides, and made.go writes.
package setup
