// Package forget removes pages and texts from a memory for good: the pages, through the
// write path and its rules; then their versions, the texts that nothing else needs, and
// records about them, in one transaction; then the unused bytes in the files of the
// database. A receipt lists the removed texts by keyed hashes.
//
// The plan is noted before anything is removed. A call that was interrupted is finished by
// the next one.
package forget
