// Package api holds the values that every surface prints: their fields are the
// names that JSON shows on the command line, over MCP and over HTTP. A field is
// added, never renamed; golden files hold them. Viewer makes them of what a
// store returns, within one transaction.
//
// It decides nothing and changes nothing.
package api
