// Package spaces holds the commands about spaces, their index and its models, and
// the server that keeps them fresh: those under "Spaces" in the list of commands.
package spaces
