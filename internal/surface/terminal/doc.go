// Package terminal is how a command talks to its user: text and tables,
// colours, progress, JSON, standard input, and the editor that a person works
// in. It knows streams and their widths, and nothing of commands or pages.
//
// Invariants: what a Page holds was cleaned by safetext, but for the styles
// that this package draws itself. Nothing here reads the environment, looks for
// a terminal or asks for the time; the caller passes them.
//
// A Progress may be used by several goroutines. Everything else belongs to one.
//
// Package manual renders the help of commands as manual pages and as the pages
// of docs/cli. It contains the help texts and no date, so that builds are
// reproducible.
package terminal
