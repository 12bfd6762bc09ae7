package fsys

import "errors"

// Flush makes many files durable with one system call, which is much faster than calling
// File.Sync for each of them.
type Flush interface {
	// Sync makes everything durable that was written in the directories since the Flush
	// was opened: bytes and names.
	Sync() error
	Close() error
}

// flusher is an FS that has this system call.
type flusher interface {
	OpenFlush(dirs []string) (Flush, error)
}

// OpenFlush prepares to flush existing directories, without those below them. It fails
// with errors.ErrUnsupported where only File.Sync is known to make bytes durable.
func OpenFlush(tree FS, dirs []string) (Flush, error) {
	if f, ok := tree.(flusher); ok {
		return f.OpenFlush(dirs)
	}
	return nil, errors.ErrUnsupported
}
