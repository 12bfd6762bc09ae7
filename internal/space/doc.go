// Package space knows the spaces of a memory: adds, attaches, opens and removes
// them, decides which of them a caller means, and reads their policies.
//
// A directory that was only pointed at is never written to; one that was added
// gets its policy file and nothing else. An open space is checked against what
// is there each time it is asked for. The package indexes and writes no page.
package space
