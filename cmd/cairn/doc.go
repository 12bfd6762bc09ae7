// Command cairn is a local-first knowledge memory for AI agents: see cairn
// help, or docs/cli.
package main
