package ref

import (
	"context"
	"math"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// scheme is the scheme of page URIs: memory://path, memory://project/path,
// memory://id/NUMBER, memory://id/UUID, or a title. With * and ** a URI refers to
// several pages. It may be percent-encoded.
const scheme = "memory://"

// CheckURI rejects an invalid URI of a page, and reports the violated rule. Other
// refs pass.
func CheckURI(raw string) error {
	rest, ok := strings.CutPrefix(strings.TrimSpace(raw), scheme)
	if !ok {
		return nil
	}
	rest = strings.TrimPrefix(rest, "pages/")
	why := ""
	switch {
	case strings.TrimSpace(rest) == "":
		why = "its path is empty"
	case strings.Contains(rest, "://"):
		why = `its path has "://" in it`
	case strings.Contains(rest, "//"):
		why = `its path has "//" in it`
	default:
		if i := strings.IndexAny(rest, `<>"|?`); i >= 0 {
			why = "its path has " + strconv.Quote(rest[i:i+1]) + " in it"
		}
	}
	if why == "" {
		return nil
	}
	return kb.Errorf(kb.Usage, "%q is not the URI of a page: %s", raw, why).
		WithHint("Write memory://path/of/page; other characters are percent-encoded.")
}

// fromURI parses a URI without its scheme.
func (r *Ref) fromURI(rest string) {
	rest = strings.TrimPrefix(rest, "pages/")
	if decoded, err := url.PathUnescape(rest); err == nil {
		rest = decoded
	}
	r.Name, r.uri = rest, true
	id, ok := strings.CutPrefix(rest, "id/")
	if !ok {
		return
	}
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		r.Row = n
	} else if _, ok := kb.ParseID(id); ok {
		r.Name = id
	}
}

// abroad returns the space at the start of a name such as project/path, and the
// rest of the name.
func (r Ref) abroad(all []kb.Space) (in kb.Space, rest string, ok bool) {
	first, rest, ok := strings.Cut(r.Name, "/")
	if !ok || rest == "" || r.Space != "" {
		return kb.Space{}, "", false
	}
	in, ok = link.Space(all, first)
	return in, rest, ok
}

// Pattern reports whether a ref is a pattern: it contains *.
func Pattern(raw string) bool {
	return strings.Contains(strings.TrimPrefix(raw, scheme), "*")
}

// Matches returns the pages that match a pattern, by space and slug: * matches
// anything within a path element, ** any elements. It is matched against slugs and
// their permalinks. If it begins with the name of a space and matches nothing in
// the caller's own, it is matched there. Without a current space it is matched
// against the pages of all spaces.
func (v *Resolver) Matches(ctx context.Context, tx store.Tx, raw string) ([]kb.Page, error) {
	if err := CheckURI(raw); err != nil {
		return nil, err
	}
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	r := Parse(raw, all)
	home, err := v.asked(ctx, tx, all, r)
	if err != nil {
		return nil, err
	}
	found, err := v.matching(ctx, tx, r.Name, home)
	if in, rest, ok := r.abroad(all); ok && err == nil && len(found) == 0 {
		found, err = v.matching(ctx, tx, rest, in)
	}
	if err == nil && len(found) == 0 {
		return nil, kb.Errorf(kb.NotFound, "no page matches %q", raw)
	}
	for _, p := range found {
		if err := space.InPin(v.Spaces, all, p.SpaceID); err != nil {
			return nil, err
		}
	}
	return found, err
}

func (v *Resolver) matching(ctx context.Context, tx store.Tx, pattern string, in kb.Space) ([]kb.Page, error) {
	g, err := glob.Compile(pattern)
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "%q is not a valid pattern: %w", pattern, err)
	}
	var f store.Filter
	if in.Row != 0 {
		f.Spaces = []int64{in.Row}
	}
	pages, _, err := tx.Pages().List(ctx, f, store.BySlug, math.MaxInt32, 0)
	return slices.DeleteFunc(pages, func(p kb.Page) bool {
		return !g.Match(p.Slug) && !g.Match(Permalink(p.Slug)) && !g.Match(p.Path)
	}), err
}

// Permalink returns a slug with doc.Slug applied to each of its elements.
func Permalink(slug string) string {
	parts := strings.Split(slug, "/")
	for i, part := range parts {
		parts[i] = doc.Slug(part)
	}
	return path.Join(parts...)
}

// maxPermalink limits the characters of an observation in its permalink.
const maxPermalink = 200

// ObservationPermalink returns the permalink of an observation of a page.
func ObservationPermalink(page, category, text string) string {
	chars := []rune(text)
	return page + "/observations/" + doc.Slug(category) + "/" + doc.Slug(string(chars[:min(len(chars), maxPermalink)]))
}

// RelationPermalink returns the permalink of a relation between two pages, from
// their permalinks.
func RelationPermalink(page, kind, to string) string {
	return page + "/" + doc.Slug(kind) + "/" + to
}
