// Package config says where cairn's own files are and what they hold: the
// settings, the database, and the token beside it. What a process was told and
// where it stands comes in as a Place.
//
// A setting comes from a flag, else from its environment variable, else from the
// file. A file that somebody wrote by hand keeps its other lines.
package config
