// Package read holds the commands that find and read, those under "Find and read" in
// the list of commands.
package read
