// Package history reads what documents were: their versions, the text of one, what
// differs between two, and what changed lately. It plans a restore or an undo as a
// request that the write path has yet to apply; a plan by itself changes nothing.
//
// An undo never overwrites what others wrote since. Pages where it would have to are
// left as they are, and listed.
//
// A prune deletes the texts of old versions as the retention of their space says. A
// text that another version still needs stays. That there was a version, when and by
// whom, is kept forever.
package history
