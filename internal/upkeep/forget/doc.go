// Package forget permanently removes pages and texts from a memory. It first
// deletes the pages, through the write path and its rules; then their versions, the
// texts that are not used elsewhere, and records about them, in one transaction;
// and then scrubs unused bytes in the files of the database. A receipt lists the
// removed texts by keyed hashes.
//
// The plan is recorded before the first removal. The next call completes an
// interrupted one.
package forget
