// Package watch tells exactly what happened in a directory of documents
// since it was last asked, so that a question about a directory in which
// nothing changed need not list it.
//
// Invariants:
//   - Linux queues an event before the system call that causes it returns. A
//     change that another process has made is therefore in the queue before
//     anybody can ask about it, and an empty queue proves that there is none.
//   - A directory is watched before it is listed: what comes into it after the
//     listing is in the queue, what came before is in the listing.
//   - Whatever the queue cannot tell for certain makes it ask for a whole
//     listing: an overflow, directories that came, went or moved, ignore files,
//     a file system mounted within the tree.
//   - File systems that other machines change, or that are not known to tell,
//     are refused, and so is every system but Linux.
//
// One thing escapes it, as inotify(7) says: bytes written through a memory map,
// and through a second name (hard link) outside the tree. Callers list the whole
// directory now and then for their sake.
//
// It starts no goroutine and imports vault and fsys only.
//
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
