// Package surface is the room for everything that people and programs see. It has no
// code of its own.
//
// Its packages, in reading order:
//
//   - operation: operations and the tools that offer them; operationtest looks into both
//   - cli: the command line; its groups of commands are read, write, history, spaces,
//     agents and care, over command, with commandtest and scripttest; kt takes the command line of kt
//   - mcpserver: the Model Context Protocol
//   - httpapi: the HTTP API
//   - lsp: the Language Server Protocol, for editors
//   - webui: the web UI, which httpapi mounts; its render makes HTML of documents, its
//     layout places the nodes of graphs; login signs people in to it
//   - server: background work of cairn serve
//   - setup: cairn in the configuration of clients and systems
//   - skills: skills for agents
//   - terminal: tables, colours, progress, manual pages
package surface
