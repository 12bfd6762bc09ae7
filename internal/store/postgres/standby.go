package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// standby records whether the server follows another one, and can only be read.
type standby struct {
	mu     sync.Mutex
	is     bool
	behind float64   // seconds
	asked  time.Time // when this was so
}

const (
	// behindFor is how long an answer about a standby is used.
	behindFor = time.Second
	// behindWithin is how long such a question may take.
	behindWithin = 2 * time.Second
)

// behindSQL reports whether the server is a standby, and how many seconds it is behind: none
// when it is connected and has replayed all that it received, else since its newest commit.
const behindSQL = `pg_is_in_recovery(), CASE WHEN NOT pg_is_in_recovery()
OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) THEN 0::float8
ELSE coalesce(greatest(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0), 0)::float8 END`

// look asks the server.
func (s *standby) look(ctx context.Context, c *conn) error {
	return c.Query(ctx, "SELECT "+behindSQL, nil, func(r row) error {
		s.set(r[0], r[1])
		return nil
	})
}

// set takes notice of the columns of behindSQL.
func (s *standby) set(is, behind any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is, s.asked = is == true, time.Now()
	s.behind, _ = behind.(float64)
}

// suspect has the server asked again, after a write that it refused.
func (s *standby) suspect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is, s.asked = true, time.Time{}
}

// Unwritable implements store.Readable. A standby may have become the primary server since.
func (d *DB) Unwritable() error {
	s := &d.standby
	s.mu.Lock()
	is, old := s.is, time.Since(s.asked) > behindFor
	s.mu.Unlock()
	if !is {
		return nil
	}
	if old {
		ctx, cancel := context.WithTimeout(context.Background(), behindWithin)
		defer cancel()
		_ = d.with(ctx, func(c *conn) error { return s.look(ctx, c) }) // an error is that of the next read
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.is {
		return nil
	}
	return kb.Errorf(kb.Refused, "the server of the memory at %s is a standby, %s behind the primary server", d.where.shown, seconds(s.behind)).
		WithReason(kb.DatabaseReadOnly)
}

func seconds(n float64) string { return fmt.Sprintf("%.1f s", n) }

var _ store.Readable = (*DB)(nil)
