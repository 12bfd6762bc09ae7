package routine

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
)

// ListCurrent lists the routines of the current space, including those that are
// due.
func ListCurrent(ctx context.Context, sess *memory.Session) ([]api.Routine, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return nil, err
	}
	return List(ctx, sess, s)
}

// FindCurrent returns one routine of the current space.
func FindCurrent(ctx context.Context, sess *memory.Session, name string) (api.Routine, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.Routine{}, err
	}
	return Find(ctx, sess, s, name)
}

// DoneRequest records that a routine was done.
type DoneRequest struct {
	api.WriteOptions
	Name string
	Text string // result of the run
}

// DoneCurrent records that a routine of the current space was done.
func DoneCurrent(ctx context.Context, sess *memory.Session, req DoneRequest) (api.Written, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.Written{}, err
	}
	return Done(ctx, sess, s, req.Name, req.Text, req.WriteOptions)
}
