// Package webui is the web interface of a memory: pages that people read in a browser.
//
// Invariants:
//   - Every screen is made of the answers of operations, and its foot names them: the
//     request over HTTP and the command that give the same data.
//   - Reading needs no script. Scripts only make it quicker.
//   - Text becomes HTML by escaping (markup.go) or through package render. No page runs a
//     script, loads anything from another host, or is shown in a frame.
//   - Only a session lets anybody in, and nothing else does it open: the API and MCP are
//     under other host names and take tokens.
//   - The actor of a request is the person of its session.
package webui
