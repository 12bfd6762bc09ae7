// Package watch watches a directory of documents, in two ways.
//
// A Queue reports exactly what changed since it was last asked, so that an
// answer about an unchanged directory need not list it. It works on Linux only,
// starts no goroutine, and reads inotify itself. A Watcher calls a function
// after changes by other programs. It reports that something changed but not
// what: a sync compares the whole directory anyway, so nothing depends on the
// order, the number or the completeness of the system's events. It is the only
// user of fsnotify.
//
// Invariants of a Queue:
//   - Linux queues an event before the system call that causes it returns. A
//     completed change of another process is therefore in the queue before
//     anyone can ask about it, and an empty queue proves that there is none.
//   - A directory is watched before it is listed: later additions are in the
//     queue, earlier ones in the listing.
//   - In any case of doubt it requests a whole listing: after an overflow, when
//     directories were added, removed or moved, for ignore files, and for a
//     file system mounted within the tree.
//   - File systems that other machines change, or that are not known to report
//     events, are refused, and so are all other systems.
//   - It does not see bytes written through a memory map, or through a hard
//     link outside the tree, see inotify(7). Callers list the whole directory
//     now and then for that reason.
//
// Invariants of a Watcher:
//   - After the last change to a note the function is called, and that call
//     began after the change. A new directory is watched before the call that
//     finds its notes.
//   - Calls do not overlap, and a burst of events is one call.
//   - Without events from the system (limits, a file system without them, a
//     queue that overflowed) it scans periodically; State reports it.
//   - Ignored and hidden files cause no calls.
package watch
