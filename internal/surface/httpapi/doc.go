// Package httpapi serves the operations to programs over HTTP, with a
// document that describes them (OpenAPI), a stream of changes, and the MCP
// server beside them.
//
// Invariants:
//   - A route is an operation and nothing more. Routes, their parameters and
//     the document are made from the same table, so none can be without the
//     others.
//   - Nothing of the memory is told or changed without the token, nor to a web
//     page of another origin, whatever name it reaches the server by.
//   - Every answer but those of MCP and the stream is JSON, and every failure
//     is a problem (RFC 9457) with one of the statuses that the document has.
//   - A request that nobody waits for any more is given up. A server that is
//     told to stop finishes what is under way, within its limit.
//
// It is the only home of listening sockets.
package httpapi
