package memory

import (
	"context"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"

	"github.com/cairn-kb/cairn/internal/store/open"
)

// Lazy is a memory that is opened on first use, and created on the first write. It
// is safe for concurrent use.
type Lazy struct {
	opts Options
	mu   sync.Mutex
	sess *Session
}

// NewLazy returns a memory that is not open yet. The options are those of
// Open.
func NewLazy(opts Options) *Lazy { return &Lazy{opts: opts} }

// Session returns the open memory. If none exists, it creates one with create;
// otherwise the error is one that NothingYet recognises.
func (l *Lazy) Session(ctx context.Context, create bool) (*Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sess != nil {
		return l.sess, nil
	}
	if !create {
		path, err := space.DatabasePath(l.opts.Place)
		if err != nil {
			return nil, err
		}
		there, err := open.Exists(ctx, path)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, kb.Errorf(kb.NotFound, "%w: there is no memory at %s", space.ErrNoMemory, path).
				WithReason(kb.NoMemory)
		}
	}
	a, err := Open(ctx, l.opts, create)
	if err != nil {
		return nil, err
	}
	l.sess = a
	return a, nil
}

// RestIfIdle calls RestIfIdle of the memory if it was opened.
func (l *Lazy) RestIfIdle(ctx context.Context) {
	l.mu.Lock()
	a := l.sess
	l.mu.Unlock()
	if a != nil {
		a.RestIfIdle(ctx)
	}
}

// Close closes the memory if it was opened.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sess == nil {
		return nil
	}
	return l.sess.Close()
}
