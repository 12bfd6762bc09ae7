package operation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
)

// shortener is an answer that can drop fields of pages that follow from their
// refs: programs keep them, agents save the tokens.
type shortener interface {
	short() any // the answer without that
}

func (r readAnswer) short() any {
	r.Title, r.Space, r.Path = ShortTitle(r.Ref, r.Title), ShortSpace(r.Ref, r.Space), ShortPath(r.Ref, r.Path)
	return r
}

func (r recallAnswer) short() any {
	r.Items = slices.Clone(r.Items)
	if !slices.ContainsFunc(r.Items, func(p recalled) bool { return p.Why != nil }) {
		r.Spent = 0
	}
	named := len(r.Spaces) == 1 && len(r.Items) > 0 // every ref names the space
	for i := range r.Items {
		r.Items[i].shorten()
		named = named && ShortSpace(r.Items[i].Ref, r.Spaces[0]) == ""
	}
	if named {
		r.Spaces = nil
	}
	return r
}

func (f findAnswer) short() any {
	f.Items = slices.Clone(f.Items)
	for i := range f.Items {
		f.Items[i].shorten()
	}
	return f
}

// shorten drops fields that the others of a served page imply: its lines where those of its
// text are there, those of the whole text where there are those of its parts, the depth of a
// text of passages, and the score, since the order says which is better.
func (r *recalled) shorten() {
	r.Title = ShortTitle(r.Ref, r.Title)
	if r.Text == "" || r.Why != nil {
		return
	}
	r.Score = 0
	if r.Depth == api.DepthSection {
		r.Depth = ""
	}
	if r.Stands != [2]int{} {
		r.Lines = [2]int{}
	}
	if len(r.Parts) > 0 {
		r.Stands = [2]int{}
	}
}

// short methods of answers that embed a written answer: the promoted method would
// drop their other fields.
func (d dailyAnswer) short() any     { d.written = d.shortened(); return d }
func (i inboxAnswer) short() any     { i.written = i.shortened(); return i }
func (t tableAnswer) short() any     { t.written = t.shortened(); return t }
func (r routineAnswer) short() any   { r.written = r.shortened(); return r }
func (a asserted) short() any        { a.written = a.shortened(); return a }
func (r relationWritten) short() any { r.written = r.shortened(); return r }
func (n noteWritten) short() any     { n.written = n.shortened(); return n }

// Of a write to more than manyPages pages an answer has maxDescribed pages; where it may leave
// pages alone, these are only those that have a remark or are among a few that moved, and there
// are maxRefs refs.
const (
	manyPages    = 5
	maxDescribed = 20
	maxRefs      = 100
)

func (p partly) short() any {
	if p.Count = len(p.Pages); p.Count <= manyPages {
		p.Count, p.written = 0, p.shortened()
		return p
	}
	for _, page := range p.Pages[:min(len(p.Pages), maxRefs)] {
		p.Refs = append(p.Refs, page.Ref)
	}
	p.noteOnce()
	moved := 0
	for _, c := range p.Pages {
		moved += min(len(c.From), 1)
	}
	p.Pages = slices.DeleteFunc(p.Pages, func(c changed) bool {
		return (c.From == "" || moved > manyPages) && c.Diff == "" && !c.DiffCut && len(c.Warnings)+len(c.Notes) == 0
	})
	slices.SortStableFunc(p.Pages, func(a, b changed) int { return cmp.Compare(min(len(b.Warnings), 1), min(len(a.Warnings), 1)) })
	p.written = p.shortened()
	return p
}

func (w written) shortened() written {
	w.noteOnce()
	n := min(len(w.Pages), maxRefs)
	for n > maxDescribed && w.Pages[n-1].Diff == "" { // the differences are short together
		n--
	}
	if more := len(w.Pages) - n; more > 0 {
		w.Pages, w.Notes = w.Pages[:n], append(w.Notes, fmt.Sprintf("%d more pages are not described", more))
	}
	for i, p := range w.Pages {
		q := &w.Pages[i]
		q.Title, q.Space, q.Path = ShortTitle(p.Ref, p.Title), ShortSpace(p.Ref, p.Space), ShortPath(p.Ref, p.Path)
	}
	return w
}

// noteOnce moves notes and warnings that many pages have to the notes of the answer.
func (w *written) noteOnce() {
	w.Pages, w.Notes = slices.Clone(w.Pages), slices.Clone(w.Notes)
	having := map[string]int{}
	for _, c := range w.Pages {
		texts := slices.Clone(c.Notes)
		for _, x := range c.Warnings { // a page may have one in several lines
			texts = append(texts, x.Text)
		}
		slices.Sort(texts)
		for _, text := range slices.Compact(texts) {
			having[text]++
		}
	}
	maps.DeleteFunc(having, func(_ string, n int) bool { return n <= manyPages })
	for i, c := range w.Pages {
		w.Pages[i].Notes = slices.DeleteFunc(slices.Clone(c.Notes), func(note string) bool { return having[note] > 0 })
		w.Pages[i].Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(x api.Warning) bool { return having[x.Text] > 0 })
	}
	for _, note := range slices.Sorted(maps.Keys(having)) {
		w.Notes = append(w.Notes, fmt.Sprintf("%d pages: %s", having[note], note))
	}
}

func (r rememberAnswer) short() any {
	r.written = r.shortened()
	r.Existing = slices.Clone(r.Existing)
	for i, p := range r.Existing {
		r.Existing[i].Title = ShortTitle(p.Ref, p.Title)
	}
	r.Similar = slices.Clone(r.Similar)
	for i, p := range r.Similar {
		r.Similar[i].Title = ShortTitle(p.Ref, p.Title)
	}
	return r
}

func (b browseAnswer) short() any {
	b.Items = slices.Clone(b.Items)
	for i, p := range b.Items {
		if p.Ref != "" {
			b.Items[i].Title, b.Items[i].Path = ShortTitle(p.Ref, p.Title), ShortPath(p.Ref, p.Path)
		}
	}
	return b
}
