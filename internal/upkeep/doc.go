// Package upkeep is the room for maintenance. Its own code is
// Hooks, the list of all work around reads and writes.
//
// Its packages, in reading order:
//
//   - gitsync: guarded spaces and their repositories
//   - doctor: checks and repairs
//   - jobs: the schedule; runs records when each job last ran
//   - backup: copies of a memory, and restoring one
//   - forget: permanent removal, with a receipt
//   - state: a description of the whole memory
package upkeep
