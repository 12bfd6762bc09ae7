package operation

import (
	"slices"
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
	for i, p := range r.Items {
		r.Items[i].Title = ShortTitle(p.Ref, p.Title)
	}
	return r
}

// Answers that embed a written answer have their own short; the promoted method
// would drop their other fields.
func (d dailyAnswer) short() any     { d.written = d.shortened(); return d }
func (i inboxAnswer) short() any     { i.written = i.shortened(); return i }
func (t tableAnswer) short() any     { t.written = t.shortened(); return t }
func (r routineAnswer) short() any   { r.written = r.shortened(); return r }
func (p partly) short() any          { p.written = p.shortened(); return p }
func (a asserted) short() any        { a.written = a.shortened(); return a }
func (r relationWritten) short() any { r.written = r.shortened(); return r }
func (n noteWritten) short() any     { n.written = n.shortened(); return n }

func (w written) shortened() written {
	w.Pages = slices.Clone(w.Pages)
	for i, p := range w.Pages {
		q := &w.Pages[i]
		q.Title, q.Space, q.Path = ShortTitle(p.Ref, p.Title), ShortSpace(p.Ref, p.Space), ShortPath(p.Ref, p.Path)
	}
	return w
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
