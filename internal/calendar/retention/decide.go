package retention

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/policy"
)

// section is a part of a page with a date in its heading.
type section struct {
	heading string
	key     string // sorts in the order of the dates
	span    doc.Span
}

// sections finds the sections that a limit applies to. A section that contains
// another one is left out: it has no single date.
func sections(d *doc.Document, limit policy.SectionLimit) (out []section) {
	for _, h := range d.Nodes[0].Headings {
		key, ok := limit.Heading.Key(h.Text)
		if !ok {
			continue
		}
		for len(out) > 0 && out[len(out)-1].span.End > h.Section.Start {
			out = out[:len(out)-1]
		}
		out = append(out, section{strings.TrimSpace(h.Text), key, h.Section})
	}
	return out
}

// decide returns the sections of a page to remove, in page order, and the remaining
// ones that are too large. When the limit keeps a number of sections and several
// have the same date, the last of them is kept.
func decide(d *doc.Document, limit policy.SectionLimit, today dates.Date) (gone, large []section) {
	all := sections(d, limit)
	if limit.Days > 0 {
		oldest, _ := limit.Heading.Key(limit.Heading.Of(today - dates.Date(limit.Days)))
		for _, s := range all {
			switch {
			case s.key < oldest:
				gone = append(gone, s)
			case limit.MaxBytes > 0 && s.span.Len() > limit.MaxBytes:
				large = append(large, s)
			}
		}
		return gone, large
	}
	last := map[string]int{}
	var keys []string
	for i, s := range all {
		if _, double := last[s.key]; !double {
			keys = append(keys, s.key)
		}
		last[s.key] = i
	}
	slices.Sort(keys)
	keys = keys[max(0, len(keys)-limit.Keep):]
	for i, s := range all {
		switch {
		case last[s.key] != i || !slices.Contains(keys, s.key):
			gone = append(gone, s)
		case limit.MaxBytes > 0 && s.span.Len() > limit.MaxBytes:
			large = append(large, s)
		}
	}
	return gone, large
}
