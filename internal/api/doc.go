// Package api holds the requests and answers that all surfaces share. Their field
// names are the names in the JSON of the command line, MCP and HTTP. Fields are
// added, never renamed; golden files check them. A Viewer builds them from rows of
// the store within one transaction.
//
// The package decides nothing and changes nothing.
package api
