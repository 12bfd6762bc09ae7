// Package scripttest runs the scripts in testdata/script, which type commands
// as users do. Each package of commands has its own scripts; those about
// several groups, and those that need git, are in package cli.
package scripttest
