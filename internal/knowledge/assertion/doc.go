// Package assertion lists the assertions of a memory that hold at a time, adds
// new ones and ends old ones. Assertions are stored in sidecars; relations and
// frontmatter keys with the same meaning are listed with them, and stored
// nowhere else.
//
// An assertion has a number derived from its page, content and start, so that
// it stays the same when the assertion ends and when the memory is rebuilt.
package assertion
