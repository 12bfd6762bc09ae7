// Package autotag finds tags for a text: words with a #, tags and page names of
// the space that the text mentions, proper names, identifiers. It is pure, and
// its result does not depend on the order in which the space lists its names.
//
// It uses the form of the text, not its meaning, so that it works in every
// script. Proper names are recognised by capitals and by katakana; other
// scripts have no such sign.
package autotag
