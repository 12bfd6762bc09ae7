// Package ingest applies an agent's plan for a source to pages: truths,
// entries, relations, assertions and tags of many pages, in one write, with the
// original bytes of the source kept. It does not interpret a source; the plan
// does. A truth without news is left out, evidence never is. Existing data is
// not added again, so that the same plan can be applied twice.
//
// Package capture stores a text: in the space of the caller, with tags found in
// it, as a page next to similar ones, or as an addition to one of them. The
// policy of the space determines which of this is automatic.
//
// No title fails a capture, and an existing text is answered with its page.
//
// Package source keeps what pages are made from: a stub with the address, the
// day and an excerpt, and on request the whole text in a second file. Nothing
// is fetched.
//
// Invariants:
//   - Existing files are never replaced, so that agents can only add.
//   - Nothing with a credential is kept.
//   - The text of a source is data: in the stub an editor neither runs nor links any of it.
package ingest
