// Package files is the room for everything on disk. It has no code of its own.
//
// Its packages, in reading order:
//
//   - fsys: a directory tree behind one interface: atomic, durable, kept within a root
//   - fsystest: the contract suite of fsys.FS
//   - vault: a directory of documents: names, ignore rules, scan
//   - watch: changes in a directory, as they happen
//   - git: git repositories, through the git program
package files
