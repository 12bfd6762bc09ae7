// Package ingest applies an agent's plan for a source to pages: truths, entries,
// relations, assertions and tags of many pages, in one write, with the original
// bytes of the source kept. It does not interpret a source; the plan does. A truth
// without new content is left out, evidence never is. Existing data is not added
// again, so that the same plan can be applied twice.
//
// Capture stores a text in the space of the caller, with tags found in it: as a new
// page, which may be linked with similar pages, or as an addition to one of them.
// The policy of the space determines which of this is automatic.
//
// A title that is in use does not fail a capture, and for an existing text the
// answer is its page.
//
// Sources are stored as a stub with the URL, the date and an excerpt, and on
// request with the full text in a second file. Nothing is fetched.
//
// Invariants:
//   - Existing files are never replaced, so that agents can only add.
//   - Text with a credential is not stored.
//   - The text of a source is data: the stub escapes it so that editors do not execute or link any of it.
package ingest
