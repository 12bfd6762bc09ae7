package review_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/review"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A caller who is limited to a space sees and decides nothing of another.
func TestLimitedToSpace(t *testing.T) {
	t.Parallel()
	s := begin(t)
	apptest.OK(gitsync.AddSpace(t.Context(), s.Session, space.AddRequest{Database: true, Name: "other"}))(t)
	hidden := s.put(bot, "other:plan", "not for everybody\n")
	own := s.put(bot, "m:own", "mine\n")
	limited := scene{t, s.For(memory.Caller{Space: "m", Only: true, Actor: ada}), s.clock}
	if got := limited.sessions(review.SessionsRequest{Decided: true}); !slices.Equal(got, []string{"agent:bot own:created"}) {
		t.Errorf("sessions: %q", got)
	}
	if c, err := review.Change(t.Context(), limited.Session, review.ChangeRequest{Write: hidden}); kb.CodeOf(err) != kb.NotFound || len(c.Pages) > 0 {
		t.Errorf("change of another space: %v %+v", err, c)
	}
	both := apptest.OK(review.Change(t.Context(), limited.Session, review.ChangeRequest{Write: hidden, Last: own}))(t)
	if len(both.Pages) != 1 || both.Pages[0].Ref != "m:own" || !slices.Equal(both.Spaces, []string{"m"}) {
		t.Errorf("change of both: %+v", both)
	}
	for _, ref := range []string{"other:plan", "memory://other/plan"} {
		if c, err := review.Change(t.Context(), limited.Session, review.ChangeRequest{Write: hidden, Ref: ref}); err == nil {
			t.Errorf("%s: %+v", ref, c)
		}
	}
	if r := apptest.OK(review.Decide(t.Context(), limited.Session, review.DecideRequest{Write: hidden, Last: own, Decision: "kept"}))(t); r.Decided != 1 {
		t.Errorf("%d changes are decided", r.Decided)
	}
}
