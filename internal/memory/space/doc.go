// Package space manages the spaces of a memory: it adds, attaches, opens and
// removes them, determines which of them a caller uses, and reads their policies
// and the configuration.
//
// A directory that is only attached is never written to; one that was added
// gets its policy file and nothing else. An open space is checked against its
// directory each time it is requested. The package indexes and writes no pages.
//
// A setting comes from a flag, else from its environment variable, else from the
// configuration file. Changes keep the other lines of a file edited by people. A
// Place holds all inputs from the process: its environment and its directories.
package space
