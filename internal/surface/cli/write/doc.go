// Package write holds the commands that change pages and note gaps, those under
// "Write" in the list of commands.
package write
