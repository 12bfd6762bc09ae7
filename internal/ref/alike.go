package ref

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// Named is what a ref such as "Page#Heading" or "Page#^block" means.
type Named struct {
	Page kb.Page
	Name string // of the page, as the ref has it
	Part string // heading or "^block" within the page, "" for the whole of it
}

// WithPart resolves a ref to a page or to a part of one, by Resolve or
// ResolveToChange. A page whose name has the sign in it comes first.
func WithPart(ctx context.Context, tx store.Tx, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (Named, error) {
	page, missing := resolve(ctx, tx, raw)
	if kb.CodeOf(missing) != kb.NotFound {
		return Named{Page: page, Name: raw}, missing
	}
	for at := strings.LastIndexByte(raw, '#'); at > 0; at = strings.LastIndexByte(raw[:at], '#') {
		name, part := strings.TrimSpace(raw[:at]), strings.TrimSpace(raw[at+1:])
		if name == "" || part == "" {
			continue
		}
		page, err := resolve(ctx, tx, name)
		if kb.CodeOf(err) != kb.NotFound {
			return Named{page, name, part}, err
		}
	}
	return Named{}, missing
}

// maxAlike is how many pages are looked at whose title has a name in it.
const maxAlike = 200

// titledAlike returns the pages of a space whose title has a name in it: those
// that begin so first, and of these the shortest.
func titledAlike(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	name = strings.TrimSpace(name)
	if in.Row == 0 || len(name) < 2 {
		return nil, nil
	}
	pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{in.Row}, Titles: []string{name}}, store.BySlug, maxAlike, 0)
	begins := func(p kb.Page) int {
		if strings.HasPrefix(strings.ToLower(unadorned(p.Title)), strings.ToLower(name)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(pages, func(a, b kb.Page) int {
		return cmp.Or(begins(a)-begins(b), cmp.Compare(len(a.Title), len(b.Title)))
	})
	return pages, err
}

// adorned returns the pages that have a name but for the emoji or the signs in
// front of it: "Daily notes" is "🗂️ Daily notes".
func adorned(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	alike, err := titledAlike(ctx, tx, name, in)
	key := kb.NameKey(name)
	return slices.DeleteFunc(alike, func(p kb.Page) bool {
		file := link.Slug(p.Path)
		file = file[strings.LastIndexByte(file, '/')+1:]
		return kb.NameKey(unadorned(p.Title)) != key && (p.Node != "" || kb.NameKey(unadorned(file)) != key)
	}), err
}

// unadorned is a name from its first letter or digit on.
func unadorned(name string) string {
	return strings.TrimLeftFunc(norm.NFC.String(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
