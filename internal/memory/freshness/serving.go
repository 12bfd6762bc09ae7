package freshness

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// The state of the memory's server is a setting. The lock shows whether it still
// runs.
const (
	servingKey  = "serving"
	servingLock = "serve"
)

// Server reports the syncs of this process to other processes. It is for one
// goroutine.
type Server struct {
	engine   *memory.Session
	since    time.Time
	reported string // as stored in the memory
	unlock   func() error
}

// Serve starts reporting for a process that keeps the memory up to date.
func Serve(sess *memory.Session) *Server {
	return &Server{engine: sess, since: sess.Log.Now().UTC().Truncate(time.Second)}
}

// Report stores the sync state if it changed. Of several servers of a memory one
// reports: another takes over when it ends.
func (s *Server) Report(ctx context.Context) error {
	if err := s.renew(ctx); err != nil {
		return err
	}
	if s.unlock == nil {
		unlock, err := s.engine.DB.Lock(ctx, servingLock, store.Lease, 0)
		if store.IsBusy(err) {
			return nil
		}
		if err != nil {
			return err
		}
		s.unlock = unlock
	}
	now := s.engine.Log.All()
	now.Since = s.since
	text, err := json.Marshal(now)
	if err != nil || string(text) == s.reported {
		return err
	}
	err = s.engine.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, servingKey, string(text)) })
	if store.IsBusy(err) {
		return nil // it is retried
	}
	if err == nil {
		s.reported = string(text)
	}
	return err
}

// renew releases a lock that was lost with its connection, so that it can be taken
// again.
func (s *Server) renew(ctx context.Context) error {
	leaser, ok := s.engine.DB.(store.Leaser)
	if !ok || s.unlock == nil || leaser.Holds(ctx, servingLock) {
		return nil
	}
	unlock := s.unlock
	s.unlock, s.reported = nil, ""
	return unlock()
}

// End reports the last sync, and that the server ended.
func (s *Server) End(ctx context.Context) error {
	err := s.Report(ctx)
	if s.unlock == nil {
		return err
	}
	if unlockErr := s.unlock(); err == nil {
		err = unlockErr
	}
	s.unlock = nil
	return err
}

// Served returns the last report of the memory's server, nil if none ever ran.
func Served(ctx context.Context, sess *memory.Session) (*api.Serving, error) {
	var text string
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		text, err = tx.Settings().Get(ctx, servingKey)
		return err
	})
	if err != nil || text == "" {
		return nil, err
	}
	out := &api.Serving{}
	if json.Unmarshal([]byte(text), &out.Activity) != nil {
		return nil, nil // from another version
	}
	unlock, err := sess.DB.Lock(ctx, servingLock, store.Shared, 0)
	if err == nil {
		return out, unlock()
	}
	out.Running = store.IsBusy(err) // the lock is free when there is no server
	return out, nil
}
