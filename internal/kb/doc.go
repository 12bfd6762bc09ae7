// Package kb holds cairn's nouns: pages, spaces, links, versions, actors, and
// the errors every surface shows.
//
// Invariants: values only. No code here reads a clock, a file, the environment or a
// database, or depends on the format or storage of pages.
//
// The other packages of this room, in reading order:
//
//   - dates: days and due times
//   - glob: patterns of paths
//   - lazyregexp: regular expressions that are compiled when they are used
//   - safetext: text made safe to show
package kb
