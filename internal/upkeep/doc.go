// Package upkeep is the room for maintenance. It has no code of its own.
//
// Its packages, in reading order:
//
//   - gitsync: guarded spaces and their repositories
//   - doctor: checks and repairs
//   - jobs: the schedule
package upkeep
