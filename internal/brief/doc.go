// Package brief makes what an agent reads at the start of a session: what the
// memory is, its pinned pages, and what changed since the agent was last here,
// within a budget of tokens. A file may stand in for it.
//
// What pages say is quoted as data, with nothing in it that could end the quote,
// and credentials are hidden. It syncs nothing, so that no session waits for it.
// All that it writes is up to which change a caller has been told.
//
// Package briefing says what needs attention in a memory: what is on today, what is
// due, what shifted, what speaks against each other, what is not known. It looks at
// the index and at two versions of what changed, and changes nothing.
//
// What there is to say depends on what pages call themselves: a space without
// commitments has none due. A section of which nothing is to be said is left out.
//
// Package gist says what a space knows now, in a few lines for whoever starts to work:
// its active pages, what contradicts itself, and what became stale. And it
// says where one page stands. It reads the index alone.
package brief
