// Package history reads the history of documents: their versions, the text of one,
// the difference of two, and recent changes. It plans a restore or an undo as a
// request for the write path; a plan by itself changes nothing.
//
// An undo never overwrites later changes by others. Pages where it would have to
// are left unchanged, and listed.
//
// A prune deletes the texts of old versions according to the retention of their
// space. A text that another version still needs is kept. The records of versions,
// with their times and authors, are kept forever.
package history
