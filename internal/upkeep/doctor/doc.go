// Package doctor checks a memory. Doctor finds problems that need a person's
// attention. Validate finds damage: it derives everything again from the stored
// texts and compares the results. Mend repairs faults that need no change to a
// document, and Dump writes a canonical form for comparing two memories.
//
// Checks change nothing. A check with a repair describes it, and runs it only
// on request.
package doctor
