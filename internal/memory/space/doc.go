// Package space knows the spaces of a memory: adds, attaches, opens and removes
// them, decides which of them a caller means, and reads their policies.
//
// A directory that was only pointed at is never written to; one that was added
// gets its policy file and nothing else. An open space is checked against what
// is there each time it is asked for. The package indexes and writes no page.
//
// Package config says where cairn's own files are and what they hold: the
// settings, the database, and the token beside it. What a process was told and
// where it stands comes in as a Place.
//
// A setting comes from a flag, else from its environment variable, else from the
// file. A file that somebody wrote by hand keeps its other lines.
package space
