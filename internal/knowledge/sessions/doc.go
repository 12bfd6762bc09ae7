// Package sessions shows the past sessions of agents as a space of pages.
//
// The transcripts of the clients are read and never written. For each session the space's
// directory has a Markdown page, made by package transcript with credentials masked; sync and
// search know nothing of where it comes from. A file next to the pages remembers how far each
// transcript was read, so that only appended lines are read. Losing the directory loses
// nothing that the transcripts still have.
//
// A page stays when the client deletes its transcript, until the policy's days are over.
package sessions
