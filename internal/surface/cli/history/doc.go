// Package history holds the commands about versions and writes, those under "Look
// back" in the list of commands.
package history
