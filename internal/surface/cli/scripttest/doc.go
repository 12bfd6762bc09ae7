// Package scripttest runs the scripts in testdata/script, which type commands as users do.
// The packages of commands keep theirs beside them; those about several groups, and those
// that need git, are with package cli.
package scripttest
