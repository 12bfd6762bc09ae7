// Package prime makes what an agent reads at the start of a session: what the
// memory is, its pinned pages, and what changed since the agent was last here,
// within a budget of tokens. A file may stand in for it.
//
// What pages say is quoted as data, with nothing in it that could end the quote,
// and credentials are hidden. It syncs nothing, so that no session waits for it.
// All that it writes is up to which change a caller has been told.
package prime
