// Package briefing says what needs attention in a memory: what is on today, what is
// due, what shifted, what speaks against each other, what is not known. It looks at
// the index and at two versions of what changed, and changes nothing.
//
// What there is to say depends on what pages call themselves: a space without
// commitments has none due. A section of which nothing is to be said is left out.
package briefing
