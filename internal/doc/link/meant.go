package link

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
)

// MeantKeys returns the keys of the candidates for Meant: a title may contain a slash or
// look like a file name.
func MeantKeys(name string) []string {
	keys := []string{Key(RelationKind, name)}
	if whole := kb.NameKey(name); whole != keys[0] {
		keys = append(keys, whole)
	}
	if about, ok := RefKey(name); ok && !slices.Contains(keys, about) {
		keys = append(keys, about)
	}
	return append(keys, IDKey(name))
}

// Meant resolves a name that is not in a document, and returns the rows of the matching
// pages: one if the name is unambiguous, several if it is ambiguous, none if nothing
// matches. Candidates are the pages with a key of MeantKeys.
//
// Unlike for a link, the spelling comes first: a page with exactly this name is preferred to
// one with a similar file name. Then comes the kind of match (whole slug; end of the slug;
// title; alias; first heading). The distance does not matter.
func Meant(name string, candidates []Page) []int64 {
	rows, _ := best(candidates, rank.clearer, func(p *Page) (rank, bool) { return meant(name, p) })
	return rows
}

func (a rank) clearer(b rank) bool {
	return a.spelling < b.spelling || a.spelling == b.spelling && a.how < b.how
}

// meant returns the best kind of match of a name with a page.
func meant(name string, p *Page) (best rank, found bool) {
	try := func(how, spelling int, ok bool) {
		if r := (rank{how: how, spelling: spelling}); ok && (!found || r.clearer(best)) {
			best, found = r, true
		}
	}
	if p.Node == "" {
		slug, want := Slug(p.Path), strings.TrimPrefix(trimNoteExt(name), "/")
		s, ok := spelledPath(want, slug)
		try(byPath, s, ok)
		tail, n := strings.Split(slug, "/"), strings.Count(want, "/")+1
		if n < len(tail) {
			s, ok = spelledPath(want, strings.Join(tail[len(tail)-n:], "/"))
			try(byFile, s, ok)
		}
	}
	s, ok := spelled(name, p.Title)
	how := byTitle
	if p.Headed() {
		how = byHeading
	}
	try(how, s, ok)
	for _, a := range p.Aliases {
		if a != p.Title {
			s, ok := spelled(name, a)
			try(byAlias, s, ok)
		}
	}
	for _, id := range numbered(p) {
		s, ok := spelled(name, id)
		try(byNumber, s, ok)
	}
	return best, found
}

// Adorned reports whether a page has a name except for the signs in front of it, such as "→
// Daily notes" for "Daily notes". The keys of the page include that of the bare name, but
// links do not match it in this way.
func Adorned(name string, p Page) bool {
	key := kb.NameKey(name)
	return slices.ContainsFunc(adornable(p), func(of string) bool { return kb.NameKey(unadorned(of)) == key })
}

// adornable returns the names of a page that may start with signs.
func adornable(p Page) []string {
	if p.Node != "" {
		return []string{p.Title}
	}
	return []string{p.Title, lastSegment(Slug(p.Path))}
}

// unadorned returns a name from its first letter or digit on.
func unadorned(name string) string {
	return strings.TrimLeftFunc(norm.NFC.String(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
