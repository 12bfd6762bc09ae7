// Package rotation turns pages over that are of a day, a week or a month: the text of
// the page becomes that of another one, and it begins anew. It is done once for a day,
// by whoever looks first, and it is one write: either all of it happens or none.
//
// No text of a day is lost: what the other page held stays as a file of its own until
// somebody recorded its day. The pages are copied and not moved, so that each keeps its
// id, its history and the links to it.
package rotation
