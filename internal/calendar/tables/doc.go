// Package tables reads and changes tables on pages by their rows, as the policy of
// a space names them. The page is the source of truth, and is read each time. A
// change only modifies its own cells or lines; unreadable lines are reported by
// number and kept byte for byte.
package tables
