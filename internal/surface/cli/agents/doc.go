// Package agents holds the commands by which agents and programs use the memory,
// those under "For agents and programs" in the list of commands.
package agents
