// Package changes tells exactly what happened in a directory of documents
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
package changes
