// Package ingest puts what an agent made of a source into pages: truths, entries,
// relations, assertions and tags of many pages, in one write, with the bytes of the
// source kept beside it as they came. It decides nothing about what a source means; that
// is the plan's. A truth that says nothing new is left out, and evidence never is. What is
// there already is not added again, so that the same plan can be carried out twice.
//
// Package capture stores a text as it comes up: in the space of the caller, with tags
// that are found in it, beside the pages that are about the same, or as more of one of
// them. What of this is done by itself the policy of the space says.
//
// No title fails a capture, and a text that is there already is answered with its page.
//
// Package source keeps what pages are made from: a stub with the address, the day and an
// excerpt, and where it is asked for the whole beside it. Nothing is fetched.
//
// Invariants:
//   - What is there is never replaced, so that agents can only add.
//   - Nothing with a credential is kept.
//   - The text of a source is data: in the stub an editor neither runs nor links any of it.
package ingest
