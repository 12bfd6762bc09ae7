//go:build !linux

package watch

import (
	"context"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// Queue is not supported on this system: only Linux guarantees that an event is queued
// before the change that causes it is complete.
type Queue struct{}

// Open fails with Unsupported.
func Open(string, fsys.FS, vault.Rules) (*Queue, error) {
	return nil, &Unsupported{Reason: "this system does not report changes before they are complete"}
}

// Tree returns tree.
func (*Queue) Tree(tree fsys.FS) fsys.FS { return tree }

// Take requests a whole listing.
func (*Queue) Take(context.Context) Taken { return Taken{Whole: true} }

// Err returns nil.
func (*Queue) Err() error { return nil }

// Dirs returns 0.
func (*Queue) Dirs() int { return 0 }

// Close does nothing.
func (*Queue) Close() error { return nil }
