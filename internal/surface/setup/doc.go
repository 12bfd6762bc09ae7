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
//
// Package probe asks other programs: it starts the entry of a client as the client
// would, and asks it for its tools, and it runs what says how the system stands.
//
// Package service writes the file by which a system starts cairn serve when
// its user logs in: a unit of systemd's, an agent of launchd's.
//
// Only a file that it wrote itself is replaced or removed. Starting and
// stopping is left to the person, who is told the commands.
package setup
