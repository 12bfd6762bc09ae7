// Package fsys is the only way cairn accesses files: a directory tree behind a small
// interface, over the operating system or in memory, with the steps that make a change
// survive a power loss.
//
// Invariants:
//   - No operation reaches outside its root, also not through a symbolic link
//     made while the operation runs.
//   - WriteAtomic leaves the old bytes or the new bytes, never a mixture, and
//     when it returns nil the new bytes survive a power loss.
//   - Errors keep their cause for errors.Is; Explain is the one place that
//     turns them into text for people.
//   - Lock files are never deleted, and the lock of a dead process never
//     blocks.
//
// Mem models the disk as it may be after power loss (Mem.CrashClone) and
// Fault injects errors and stops, so that callers can test every step.
package fsys
