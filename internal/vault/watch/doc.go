// Package watch says when a directory of documents changes under the hands of
// other programs. It says that something changed and not what: a sync compares
// the whole directory anyway, and so nothing depends on the order, the number
// or the completeness of the system's events.
//
// Invariants:
//   - After the last change to a note a call of the function given to Run
//     follows that began after the change. A directory that appears is watched
//     before the call that lets its notes be found.
//   - Calls do not overlap, and a burst of events is one call.
//   - Where the system's events cannot be had (limits, a file system without
//     them, a queue that overflowed) scans take their place; State says so.
//   - What ignore files leave out, and hidden files, cause no calls.
//
// It is the only home of fsnotify.
package watch
