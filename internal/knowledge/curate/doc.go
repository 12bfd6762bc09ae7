// Package curate lists the pages of a space that need attention, and carries
// out a person's decisions: it merges two pages, splits one, replaces one by
// another, and records reviews.
//
// Invariants:
//   - Listing changes nothing.
//   - Only a person decides. A decision is one write, which can be undone.
//   - A replaced page stays as a page, so that references to
//     its id still resolve, here and in other programs, and lead on.
package curate
