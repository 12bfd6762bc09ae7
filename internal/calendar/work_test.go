package calendar_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/calendar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A step that fails prevents no other, one that others overtake is planned again or left to
// the next run, and a dry run writes nothing.
func TestStepsAreIndependent(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", map[string]string{"a.md": "a\n"}), Name: "garden"}))(t)
	s := apptest.OK(a.Spaces.ByName(ctx, "garden"))(t)
	overtaken := kb.Errorf(kb.Conflict, "it changed")
	planned := 0
	work := calendar.Work[string]{
		Operation: "test", Failed: "could not be done", Wants: func(*policy.Policy) bool { return true },
		Plan: func(_ context.Context, _ *memory.Session, space *write.Space, _ time.Time) iter.Seq[calendar.Step[string]] {
			put := func(path string) calendar.Step[string] {
				return calendar.Step[string]{
					Page: path, Changes: []write.Change{{Space: space, Path: path, Action: write.Put{Bytes: []byte(path + "\n")}}},
					Reports: []string{path}, Wrote: func(all []string, id int64) {
						if id != 0 {
							all[0] += " written"
						}
					},
				}
			}
			again := put("a.md") // it is there, which is a conflict
			again.Again = func(context.Context) calendar.Step[string] {
				planned++
				return put("b.md")
			}
			return slices.Values([]calendar.Step[string]{
				{Page: "x.md", Err: errors.New("broken")}, {Page: "y.md", Err: overtaken}, put("c.md"), again,
			})
		},
	}
	dry, err := work.Run(ctx, a, s, true)
	if err == nil || slices.Contains(dry, "c.md written") {
		t.Errorf("dry run: %q, %v", dry, err)
	}
	planned = 0
	got, err := work.Run(ctx, a, s, false)
	if want := []string{"c.md written", "b.md written"}; !slices.Equal(got, want) || planned != 1 {
		t.Errorf("%q, planned again %d times", got, planned)
	}
	if err == nil || !strings.Contains(err.Error(), "x.md could not be done: broken") || strings.Contains(err.Error(), "y.md") {
		t.Errorf("the error is %v", err)
	}
}
