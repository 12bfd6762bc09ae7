package day

import (
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Place is the location of the page of the day.
type Place struct {
	Ref  string
	Date string // of the day
}

// Today returns the path of the page of the day in a space, which is the first
// rotating page, and the edit that adds a text to it as a line of a kind. The edit
// is nil for an empty kind.
func Today(s *write.Space, kind, text string, now time.Time) (Place, doc.Edit, error) {
	if len(s.Policy.Rotate) == 0 {
		return Place{}, nil, kb.Errorf(kb.NotFound, "%s has no page of the day", s.Name).
			WithHint("Name one in [[rotate]] of its policy.")
	}
	r, days := s.Policy.Rotate[0], s.Policy.Calendar(now.Location())
	out := Place{Ref: s.Name + ":" + r.Page, Date: days.Of(now).String()}
	if kind == "" {
		return out, nil, nil
	}
	a, err := addition(r, kind)
	if err != nil {
		return out, nil, err
	}
	if strings.TrimSpace(text) == "" {
		return out, nil, kb.Errorf(kb.Usage, "there is no text to add as %s", kind)
	}
	return out, doc.Append{Section: a.Section, Text: a.Of(text, now.In(days.Zone))}, nil
}

func addition(r policy.Rotation, kind string) (policy.Addition, error) {
	var names []string
	for _, a := range r.Add {
		if a.Name == kind {
			return a, nil
		}
		names = append(names, a.Name)
	}
	err := kb.Errorf(kb.Usage, "unknown kind %q of line in %s", kind, r.Page)
	if len(names) == 0 {
		return policy.Addition{}, err.WithHint("Define the kind in [[rotate.add]] of the space's policy.")
	}
	return policy.Addition{}, err.WithHint("It takes %s.", strings.Join(names, ", ")).WithReason(kb.NoSuchLine)
}
