// Package assertion lists what is asserted in a memory, as it holds at a time, adds to it
// and ends what does not hold any more. Assertions stand in sidecars; relations and
// frontmatter keys that say the same are listed with them, and kept nowhere else.
//
// An assertion has a number that follows from its page, what is asserted and since
// when, so that it stays when the assertion ends and when the memory is made anew.
package assertion
