package contradiction

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// maxQuote limits the displayed part of a line, in characters.
const maxQuote = 300

// show describes findings with quotes of both sides from their documents.
func show(ctx context.Context, sess *memory.Session, list []pending) ([]api.Contradiction, error) {
	out, texts := make([]api.Contradiction, 0, len(list)), map[kb.Hash][]string{}
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(p pending) bool { return p.in != list[0].in })
		if n < 0 {
			n = len(list)
		}
		findings := make([]lifecycle.Finding, n)
		for i, p := range list[:n] {
			findings[i] = p.Finding
		}
		more, err := showOf(ctx, sess, list[0].in, findings, texts)
		if err != nil {
			return nil, err
		}
		out, list = append(out, more...), list[n:]
	}
	return out, nil
}

// showOf is show for findings of one space.
func showOf(ctx context.Context, sess *memory.Session, f *found, findings []lifecycle.Finding, texts map[kb.Hash][]string) ([]api.Contradiction, error) {
	ids, err := f.settle(ctx, findings)
	if err != nil {
		return nil, err
	}
	out := make([]api.Contradiction, 0, len(findings))
	for i, x := range findings {
		c := api.Contradiction{ID: ids[i], Type: string(x.Kind), Certain: x.Certain}
		if d, ok := f.gone[c.ID]; ok {
			c.Dismissed = &api.Dismissed{Note: d.Note, By: d.Actor.String(), At: d.Time.UTC().Truncate(time.Second)}
		}
		if c.A, err = f.side(ctx, x.A, sess.Codecs, texts); err != nil {
			return nil, err
		}
		if c.B, err = f.side(ctx, x.B, sess.Codecs, texts); err != nil {
			return nil, err
		}
		c.Subject, c.SubjectRef = f.about(x)
		c.Text = c.Subject + ": " + f.said(x)
		out = append(out, c)
	}
	return out, nil
}

// side describes one side of a finding.
func (f *found) side(ctx context.Context, x lifecycle.Fact, codecs []doc.Codec, texts map[kb.Hash][]string) (api.Side, error) {
	page := f.pages[x.Page]
	out := api.Side{
		Ref: page.Ref(), Title: page.Title, Subject: f.title(x.Subject), Predicate: x.Predicate, Object: x.Object.Name,
		ValidFrom: x.From, ValidUntil: x.Until, Source: string(x.Source), Date: x.On, Cited: x.Cited, ID: x.Number,
	}
	if subject, ok := f.pages[x.Subject]; ok {
		out.SubjectRef = subject.Ref()
	}
	if to, ok := f.pages[x.Object.Page]; ok {
		out.ObjectRef = to.Ref()
	}
	lines, ok := texts[page.Hash]
	if !ok {
		text, err := f.tx.History().Bytes(ctx, page.Hash)
		if err != nil {
			return out, err
		}
		lines = strings.Split(string(doc.ForNote(codecs, f.space.Syntax, page.Path).Parse(page.Path, text).Text), "\n")
		texts[page.Hash] = lines
	}
	if key, _, _ := strings.Cut(x.Said, ": "); x.Source == lifecycle.Property || x.Source == lifecycle.Text && x.Line == 0 {
		x.Line = propertyLine(lines, key)
	}
	switch {
	case x.Source == lifecycle.Text:
		out.Quote = x.Said
		if x.Entry {
			out.Source = string(lifecycle.Timeline)
		}
	case x.Source == lifecycle.Asserted:
		out.Quote = cmp.Or(x.Said, fmt.Sprintf("%s %s %s", out.Subject, x.Predicate, object(x)))
	case x.Source == lifecycle.Truth:
		out.Quote, x.Line = page.Summary, page.Line
	case x.Line > 0 && x.Line <= len(lines):
		out.Quote = strings.TrimSpace(lines[x.Line-1])
	}
	if x.Source == lifecycle.Timeline {
		out.Date, out.ValidFrom = x.From, ""
	}
	if out.Cited == "" {
		source, on := temporal.Citation(out.Quote)
		out.Cited, out.Date = source, cmp.Or(out.Date, on)
	}
	out.Date = cmp.Or(out.Date, truthDay(page))
	out.Quote = sentence.Shorten(out.Quote, maxQuote)
	if x.Line > 0 {
		out.Lines = []int{x.Line, x.Line}
	}
	out.Authority = lifecycle.AuthorityOf(out.Cited).String()
	return out, nil
}

// truthDay returns the date as of which the truth of a page holds, or of its last
// change.
func truthDay(p kb.Page) string { return cmp.Or(p.AsOf, day(p.TruthUpdated)) }

// title returns the name of a page, or of a subject without a page.
func (f *found) title(row int64) string {
	if p, ok := f.pages[row]; ok {
		return p.Title
	}
	return f.names[row]
}

// about returns the page of a finding, or its name if it is not a page: the common
// object of two subjects.
func (f *found) about(x lifecycle.Finding) (name, ref string) {
	row := x.A.Subject
	if x.Shared() {
		row = x.A.Object.Page
	}
	if p, ok := f.pages[row]; ok {
		ref = p.Ref()
	}
	return f.title(row), ref
}

// propertyLine finds the line of a metadata key, 0 for none.
func propertyLine(lines []string, key string) int {
	for i, line := range lines {
		name, _, ok := strings.Cut(strings.TrimLeft(line, " \t-#+:"), ":")
		if ok && doc.PropertyKey(strings.TrimSpace(name)) == key {
			return i + 1
		}
	}
	return 0
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// said describes a finding in one line.
func (f *found) said(x lifecycle.Finding) string {
	switch x.Kind {
	case lifecycle.CrossPage:
		if x.Shared() {
			return fmt.Sprintf("%s: %s and %s", x.A.Predicate, holder(f.title(x.A.Subject), x.A), holder(f.title(x.B.Subject), x.B))
		}
		return fmt.Sprintf("%s: %s and %s", x.A.Predicate, object(x.A), object(x.B))
	case lifecycle.Temporal:
		what := "the text"
		if x.B.Entry {
			what = "the timeline"
		}
		return fmt.Sprintf("%s %s is open, %s says it ended%s", x.A.Predicate, object(x.A), what, in(x.B.Until))
	case lifecycle.Against:
		if x.A.Source == lifecycle.Property {
			return fmt.Sprintf("%s is %s, the relation %s ended in %s", x.A.Said, object(x.A), x.B.Predicate, x.B.Until)
		}
		return fmt.Sprintf("%s %s is asserted, the relation ended in %s", x.A.Predicate, object(x.A), x.B.Until)
	case lifecycle.Unproved:
		return fmt.Sprintf("the evidence of %s %s is lost", x.A.Predicate, object(x.A))
	case lifecycle.Stated:
		if x.A.Said != "" {
			return fmt.Sprintf("%s %s: %s", x.A.Predicate, object(x.A), x.A.Said)
		}
		return fmt.Sprintf("%s %s", x.A.Predicate, object(x.A))
	case lifecycle.Overlapping:
		return fmt.Sprintf("%s %s holds twice at a time", x.A.Predicate, object(x.A))
	}
	return fmt.Sprintf("the truth is of %s, the newest entry of %s", truthDay(f.pages[x.A.Page]), x.B.From)
}

func in(date string) string {
	if date == "" {
		return ""
	}
	return " in " + date
}

// object formats the object of a side with its times.
func object(x lifecycle.Fact) string { return holder(x.Object.Name, x) }

// holder formats a name with the times of a side.
func holder(name string, x lifecycle.Fact) string {
	if x.Interval != (kb.Interval{}) {
		return name + " @" + x.Interval.String()
	}
	return name
}
