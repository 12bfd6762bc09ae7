// Package httpapi serves the operations to programs over HTTP, with a document
// that describes them (OpenAPI), a stream of changes, and the MCP server.
//
// Invariants:
//   - A route is an operation and nothing more. Routes, their parameters and
//     the document are made from the same table, so none can be without the
//     others.
//   - Nothing of the memory is read or changed without the token, nor by a web
//     page of another origin, under any host name.
//   - Every answer but those of MCP and the stream is JSON, and every failure
//     is a problem (RFC 9457) with one of the statuses that the document has.
//   - A request is cancelled when its client goes away. A server that is
//     asked to stop finishes running requests, within its limit.
//
// It is the only home of listening sockets.
package httpapi
