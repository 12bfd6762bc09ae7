// Package tables reads and changes tables on pages by their rows, as the policy of a space
// names them. The page is the truth, and what is told of it is read from it each time. A
// change is one of the cells or lines that it is about; what cannot be read is told of by
// its line, and keeps its bytes.
package tables
