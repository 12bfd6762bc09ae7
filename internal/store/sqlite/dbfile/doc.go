// Package dbfile knows the files of a memory that SQLite keeps: their names, the
// record of which file is the memory while it is open, the lock that everyone who
// has it open shares, and what a restore does with them. It never looks into a
// database, and SQLite has none of them open while one is replaced.
package dbfile
