package operation

import (
	"slices"
	"strings"
)

// shortener is an answer that says of pages what follows from their refs, too:
// programs are spared the work, agents the tokens.
type shortener interface {
	short() any // the answer without that
}

// shortTitle returns a title, "" where the ref ends in it.
func shortTitle(ref, title string) string {
	if strings.HasSuffix(ref, ":"+title) || strings.HasSuffix(ref, "/"+title) {
		return ""
	}
	return title
}

// shortPath returns a path, "" where it is the ref's slug with .md.
func shortPath(ref, path string) string {
	if _, slug, _ := strings.Cut(ref, ":"); slug+".md" == path {
		return ""
	}
	return path
}

// shortSpace returns the name of a space, "" where the ref begins with it.
func shortSpace(ref, space string) string {
	if strings.HasPrefix(ref, space+":") {
		return ""
	}
	return space
}

func (r readAnswer) short() any {
	r.Title, r.Space, r.Path = shortTitle(r.Ref, r.Title), shortSpace(r.Ref, r.Space), shortPath(r.Ref, r.Path)
	return r
}

func (r recallAnswer) short() any {
	r.Items = slices.Clone(r.Items)
	for i, p := range r.Items {
		r.Items[i].Title = shortTitle(p.Ref, p.Title)
	}
	return r
}

// Answers that hold what was written have their own short, or theirs would be without all
// that they say besides.
func (d dailyAnswer) short() any     { d.written = d.shortened(); return d }
func (i inboxAnswer) short() any     { i.written = i.shortened(); return i }
func (t tableAnswer) short() any     { t.written = t.shortened(); return t }
func (r routineAnswer) short() any   { r.written = r.shortened(); return r }
func (a asserted) short() any        { a.written = a.shortened(); return a }
func (r relationWritten) short() any { r.written = r.shortened(); return r }
func (n noteWritten) short() any     { n.written = n.shortened(); return n }

func (w written) shortened() written {
	w.Pages = slices.Clone(w.Pages)
	for i, p := range w.Pages {
		q := &w.Pages[i]
		q.Title, q.Space, q.Path = shortTitle(p.Ref, p.Title), shortSpace(p.Ref, p.Space), shortPath(p.Ref, p.Path)
	}
	return w
}

func (r rememberAnswer) short() any {
	r.written = r.shortened()
	r.Existing = slices.Clone(r.Existing)
	for i, p := range r.Existing {
		r.Existing[i].Title = shortTitle(p.Ref, p.Title)
	}
	r.Similar = slices.Clone(r.Similar)
	for i, p := range r.Similar {
		r.Similar[i].Title = shortTitle(p.Ref, p.Title)
	}
	return r
}

func (b browseAnswer) short() any {
	b.Items = slices.Clone(b.Items)
	for i, p := range b.Items {
		if p.Ref != "" {
			b.Items[i].Title, b.Items[i].Path = shortTitle(p.Ref, p.Title), shortPath(p.Ref, p.Path)
		}
	}
	return b
}
