// Package tables reads and changes tables on pages by their rows, as the policy
// of a space names them. The page is the source of truth, and is read each
// time. A change affects its own cells or lines only; unreadable lines are
// reported by number, and keep their bytes.
package tables
