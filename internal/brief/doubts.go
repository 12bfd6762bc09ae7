package brief

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// contradictions returns the certain contradictions of all kinds, without those
// that behind returns.
func (l *look) contradictions(ctx context.Context, s *api.BriefingSection) error {
	var kinds []string
	for _, k := range lifecycle.Kinds() {
		if k != lifecycle.Stale {
			kinds = append(kinds, string(k))
		}
	}
	return l.findings(ctx, s, kinds)
}

// behind returns the pages with a truth older than their timeline.
func (l *look) behind(ctx context.Context, s *api.BriefingSection) error {
	return l.findings(ctx, s, []string{string(lifecycle.Stale)})
}

func (l *look) findings(ctx context.Context, s *api.BriefingSection, kinds []string) error {
	found, err := contradiction.List(ctx, l.Session, contradiction.Request{All: l.req.All, Types: kinds, Limit: maxOf})
	for _, c := range found.Items {
		if !c.Certain {
			break
		}
		it := api.BriefingItem{
			ID: c.ID, Ref: cmp.Or(c.SubjectRef, c.A.Ref), Title: c.Subject, Text: strings.TrimPrefix(c.Text, c.Subject+": "),
		}
		for _, side := range []api.Side{c.A, c.B} {
			if side.Ref != it.Ref && !strings.Contains(it.Text, side.Ref) {
				it.Text += " (" + side.Ref + ")"
			}
		}
		s.Items = append(s.Items, it)
	}
	s.Total += found.Certain
	return err
}

// gaps returns the unanswered questions, oldest first.
func (l *look) gaps(ctx context.Context, s *api.BriefingSection) error {
	found, err := gap.List(ctx, l.Session, gap.ListRequest{All: l.req.All, Limit: maxOf})
	for _, g := range found.Items {
		it := api.BriefingItem{ID: strconv.FormatInt(g.ID, 10), Date: g.Last.In(l.now.Location()).Format(time.DateOnly), Text: "asked " + times(g.Count)}
		if g.Candidate != "" {
			it.Ref = g.Candidate
		}
		for _, about := range []string{cmp.Or(g.Question, g.Words), g.Redacted, g.Context} {
			if about != "" {
				it.Text += ": " + strings.Join(strings.Fields(about), " ")
				break
			}
		}
		s.Items = append(s.Items, it)
	}
	s.Total = found.Total
	return err
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
