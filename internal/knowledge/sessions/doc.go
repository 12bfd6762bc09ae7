// Package sessions shows the past sessions of agents as a space of pages.
//
// The transcripts of the clients are read and never written. For each session the
// space's directory has a Markdown page, made by package transcript with
// credentials masked; sync and search treat it like any page. A state file next to
// the pages records the read offset of each transcript, so that only appended lines
// are read. Losing the directory loses nothing that the transcripts still have.
//
// When the client deletes a transcript, its page stays for the number of days in
// the policy.
package sessions
