// Package test is the room for suites over the whole. It has no code of its own.
//
// Its packages, in reading order:
//
//   - archtest: rules of the structure
//   - apptest: memories for tests of use cases and surfaces
//   - slowtest: marks tests that take long
//   - ziptest: compares archives that the program embeds with their files
//   - scenarios: tests of several use cases over one memory
//   - peers: clients made by others
//   - torture: killed processes, full disks, two writers
package test
