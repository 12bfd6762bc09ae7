package index

import (
	"bytes"
	"hash/crc32"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/store"
)

// A page has two halves, the truth and the timeline, each with the time of its
// last change. When a document is first indexed the times are derived from its
// text, or else from the file. After that a change is detected by the checksums
// of the halves, and has the date of the file.

// halves sets the checksums of the halves of node i, and their times according to
// the text.
func halves(d *doc.Document, i int, cues temporal.Cues, rec *store.PageRecord, modTime time.Time) {
	n := &d.Nodes[i]
	rec.TruthSum, rec.TimelineSum = sum(d, i, n.Truth), sum(d, i, n.Timeline)
	latest := modTime
	if !latest.IsZero() {
		latest = latest.Add(24 * time.Hour) // a date may be of any zone
	}
	asOf, cited := cues.AsOf(latest)
	rec.Page.AsOf = asOf
	said := later(later(time.Time{}, asOf, latest), cited, latest)
	if said.IsZero() {
		said = n.Updated
	}
	rec.Page.TruthUpdated = orTime(said, modTime)
	if !hasTimeline(d, i) {
		rec.TimelineSum = 0
		return
	}
	var newest time.Time
	for _, e := range n.Entries {
		newest = later(newest, e.Date, latest)
	}
	rec.Page.TimelineUpdated = orTime(newest, modTime)
}

// hasTimeline reports whether node i has any content below the timeline mark except
// headings.
func hasTimeline(d *doc.Document, i int) bool {
	for _, part := range d.Own(i, d.Nodes[i].Timeline) {
		for at := part.Start; at < part.End; {
			end := min(doc.LineEnd(d.Text, at), part.End)
			isHeading := slices.ContainsFunc(d.Nodes[i].Headings, func(h doc.Heading) bool { return h.Line.Start == at })
			if !isHeading && !doc.Blank(d.Text[at:end]) {
				return true
			}
			at = end
		}
	}
	return false
}

// castagnoli is the polynomial with hardware support.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns a checksum of a node's own text in a span, without blanks at the
// ends; 0 for an empty text. Two sums of 32 bits take a tenth of the time of a
// hash, and collisions made on purpose do no harm.
func sum(d *doc.Document, node int, span doc.Span) int64 {
	var high, low uint32
	n := 0
	for _, s := range d.Own(node, span) {
		text := bytes.TrimSpace(d.Text[s.Start:s.End])
		high, low, n = crc32.Update(high, castagnoli, text), crc32.Update(low, crc32.IEEETable, text), n+len(text)
	}
	if n == 0 {
		return 0
	}
	return int64(uint64(high)<<32 | uint64(low) | 1)
}

// later returns the later of a time and the date that text begins with, unless
// it is not a date or after the latest allowed; a zero latest means no limit.
func later(t time.Time, text string, latest time.Time) time.Time {
	date, _, ok := doc.CutDate(text)
	if !ok {
		return t
	}
	at, ok := doc.ParseDate(date)
	if !ok || at.Before(t) || !latest.IsZero() && at.After(latest) {
		return t
	}
	return at
}

func orTime(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

// keepTimes keeps the times of unchanged halves, and sets those of changed ones
// to the time of the change.
func (ch *changes) keepTimes(batch []*Derived) {
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			old, known := ch.byNode[nodeKey{d.Record.Row, p.Page.Node}]
			if !known {
				continue
			}
			same := old.hash == d.Record.Hash
			if !same && (p.TruthSum != old.truth.sum || p.TimelineSum != old.timeline.sum) {
				d.edited = append(d.edited, j)
			}
			p.Page.TruthUpdated = dated(p.Page.TruthUpdated, old.truth, p.TruthSum, same, &d.Record)
			p.Page.TimelineUpdated = dated(p.Page.TimelineUpdated, old.timeline, p.TimelineSum, same, &d.Record)
		}
	}
}

// half is one half of a page: its sum, and when it changed last.
type half struct {
	sum     int64
	changed time.Time
}

// dated returns the time of the last change of a half with the given checksum. said
// is the time in the text, old the stored half, which is empty for pages of old
// versions; equal bytes are unchanged, however they are parsed.
func dated(said time.Time, old half, sum int64, same bool, rec *store.Document) time.Time {
	switch {
	case sum == 0, same && old.changed.IsZero():
		return said
	case same, sum == old.sum && !old.changed.IsZero():
		return old.changed
	case rec.ModTime.Before(old.changed) && !rec.Recorded.IsZero():
		return rec.Recorded // it was replaced by an older file
	}
	return rec.ModTime
}

// written sets the times of both halves to now for a page that a write creates,
// regardless of its text.
func (d *Derived) written() {
	for j := range d.Record.Pages {
		p := &d.Record.Pages[j]
		p.Page.TruthUpdated = d.Record.ModTime
		if p.TimelineSum != 0 {
			p.Page.TimelineUpdated = d.Record.ModTime
		}
	}
}
