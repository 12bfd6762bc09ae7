// Package transfer brings the knowledge of other programs into the memory: as pages of
// spaces, in one write that can be undone, with a receipt that says what became of
// every piece and what was lost.
package transfer
