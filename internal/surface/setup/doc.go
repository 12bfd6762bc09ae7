// Package setup writes cairn into the configuration of the clients that agents
// run in: the MCP server, the hook that runs when a session starts, and a few
// lines of instructions.
//
// The files are the person's. Every edit is a splice of bytes: other content
// keeps its comments, order and spacing, and removing our parts restores the
// original bytes. A file in an unexpected format is refused, and then no other
// file is changed.
//
// The locations of each client's files are data in clients.go. The editors are
// pure; plan.go reads and decides, and made.go writes.
//
// Package probe asks other programs: it starts the entry of a client as the
// client would, and asks it for its tools, and it runs the commands that report
// the state of the system.
//
// Package service writes the file by which a system starts cairn serve when
// its user logs in: a unit of systemd's, an agent of launchd's.
//
// Only a file that it wrote itself is replaced or removed. Starting and
// stopping is left to the person; setup prints the commands.
package setup
