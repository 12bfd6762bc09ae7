// Package mcpserver speaks the Model Context Protocol: the tools of package
// operation, pages as resources, completion of refs, skills as prompts, over standard streams and
// over HTTP.
//
// Invariants:
//   - A tool is called and nothing more; no decision is made here.
//   - Tools, prompts and resources belong to sets, and a client gets what
//     belongs to one of those that the server offers.
//   - A caller's mistake is answered with a tool error that suggests what to
//     do next, and never ends the server.
//   - Every request that was read is answered, also after the input has ended.
//   - Nothing is written to the output but the protocol.
package mcpserver
