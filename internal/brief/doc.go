// Package brief composes the text that an agent reads at the start of a session: a
// description of the memory, its pinned pages, and the changes since the agent's
// last session, within a token budget. A file may replace this text.
//
// Page text is quoted as data, escaped so that it cannot end the quote, and
// credentials are masked. The package does not sync, so that sessions start without
// delay. It only writes the number of the last change reported to a caller.
//
// A briefing lists the items of a memory that need attention: meetings of today,
// due work, shifts, contradictions, open questions. It reads the index and two
// versions of changed pages, and changes nothing.
//
// The content depends on the types of pages: a space without commitments has
// none due. An empty section is left out.
//
// A gist summarises a space in a few lines for a new session: its active pages,
// contradictions, and stale pages. It also shows the state of one page. It only
// reads the index.
package brief
