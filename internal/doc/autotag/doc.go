// Package autotag finds tags in a text: words with a #, tags and names that a space
// has and the text mentions, proper names, identifiers. It is pure, and the same text
// has the same tags in whatever order the space knows its own.
//
// What it goes by is how text is written and not what it means, so that it works in
// every script; proper names are told by capitals and by katakana, which other scripts
// lack.
package autotag
