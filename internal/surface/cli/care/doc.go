// Package care holds the commands about the memory, its settings and this program,
// those under "Look after the memory" in the list of commands.
package care
