// Package brief makes what an agent reads at the start of a session: what the
// memory is, its pinned pages, and what changed since the agent was last here,
// within a budget of tokens. A file may replace it.
//
// Text of pages is quoted as data, with nothing in it that could end the quote,
// and credentials are hidden. It syncs nothing, so that no session waits for
// it. It writes nothing but the last change reported to a caller.
//
// Package briefing lists what needs attention in a memory: meetings of today,
// due work, shifts, contradictions, open questions. It reads the index and two
// versions of changed pages, and changes nothing.
//
// The content depends on the types of pages: a space without commitments has
// none due. An empty section is left out.
//
// Package gist sums up a space in a few lines for a new session: its active
// pages, contradictions, and stale pages. It also shows the state of one page.
// It reads the index alone.
package brief
