package ref

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Ref is a parsed name of a page.
type Ref struct {
	raw    string
	ID     kb.ID  // a UUID
	Prefix string // digits of a short id
	Space  string // name of a space, "" if not given
	Name   string // slug, path, title or alias
	Row    int64  // number of a page in this memory, 0 if not given

	uri bool // it was written as a URI
}

// Resolver finds the pages of refs in the view of one caller. It is safe for
// concurrent use.
type Resolver struct {
	DB     store.Memory
	Spaces *space.Registry
	Codecs []doc.Codec
}

// aiKB matches a pointer in agents' notes: "ai-kb: Title (UUID)". The id takes
// precedence, the title is the fallback.
var aiKB = lazyregexp.New(`^ai-kb:\s*(.*?)\s*\(([0-9a-fA-F-]{32,36})\)$`)

// idOfKT matches the ids that pages imported from kt have as an alias: like a short
// id, such an id refers to one page in any space.
var idOfKT = lazyregexp.New(`^kt-[0-9a-z]{4,}$`)

// Parse parses a ref. In "space:slug", only the given names of spaces are
// recognised.
func Parse(raw string, spaces []kb.Space) Ref {
	r := Ref{raw: raw, Name: strings.TrimSpace(raw)}
	if m := aiKB().FindStringSubmatch(r.Name); m != nil {
		r.ID, _ = kb.ParseID(m[2])
		r.Name = m[1]
		return r
	}
	if rest, ok := strings.CutPrefix(r.Name, "memory://"); ok {
		r.fromURI(rest)
	}
	if id, ok := kb.ParseID(r.Name); ok {
		r.ID = id
		return r
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(r.Name), kb.ShortPrefix); ok && isHex(digits) {
		r.Prefix = digits
		return r
	}
	if prefix, name, ok := strings.Cut(r.Name, ":"); ok && name != "" {
		// "My research: a plan" is more likely a title than a page of my-research.
		if s, ok := link.Space(spaces, prefix); ok && (strings.EqualFold(s.Name, prefix) || name[0] != ' ') {
			r.Space, r.Name = s.Name, name
		}
	}
	return r
}

// UnknownSpace returns the space part of a name if it looks like the name of a
// space; Parse has found no such space.
func UnknownSpace(name string) (string, bool) {
	space, rest, ok := strings.Cut(name, ":")
	plain := space != "" && !strings.ContainsFunc(space, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.' && r != '@'
	})
	return space, ok && plain && rest != "" && !strings.ContainsAny(rest[:1], " /:")
}

func isHex(s string) bool {
	return len(s) >= 2 && strings.Trim(s, "0123456789abcdef") == ""
}

// PointerID returns the id in a pointer, "ai-kb: Title (UUID)"; ok is false for any
// other ref.
func PointerID(raw string) (id kb.ID, ok bool) {
	m := aiKB().FindStringSubmatch(strings.TrimSpace(raw))
	if m == nil {
		return "", false
	}
	return kb.ParseID(m[2])
}

// Resolve returns the one page that a ref refers to: kb.NotFound with suggestions,
// or kb.Ambiguous with the candidates. If the caller asked for a space, a name only
// resolves within it.
func (v *Resolver) Resolve(ctx context.Context, tx store.Tx, raw string) (kb.Page, error) {
	page, strayed, err := v.lookUp(ctx, tx, raw)
	if err == nil && strayed && v.Spaces.IsAsked() {
		return kb.Page{}, elsewhere(raw, page)
	}
	return page, err
}

// ResolveToChange is Resolve for a page that will be changed: a name found only in
// another space may be a mistake, so the space or the id is required.
func (v *Resolver) ResolveToChange(ctx context.Context, tx store.Tx, raw string) (kb.Page, error) {
	page, strayed, err := v.lookUp(ctx, tx, raw)
	if err == nil && strayed {
		return kb.Page{}, elsewhere(raw, page)
	}
	return page, err
}

// elsewhere is the error for a name found only in another space.
func elsewhere(raw string, page kb.Page) error {
	return kb.Errorf(kb.NotFound, "no page %q in the current space", raw).
		WithHint("In another space there is %s.", page.Ref())
}

// lookUp implements Resolve. It reports whether the page is in another space than
// the current one although the ref does not name that space.
func (v *Resolver) lookUp(ctx context.Context, tx store.Tx, raw string) (page kb.Page, strayed bool, err error) {
	if strings.TrimSpace(raw) == "" {
		return page, false, kb.Errorf(kb.Usage, "the ref is empty").WithHint("Name a page by its slug, title, path or id.")
	}
	if err := CheckURI(raw); err != nil {
		return page, false, err
	}
	all, err := v.Spaces.AllTx(ctx, tx)
	if err != nil {
		return page, false, err
	}
	r := Parse(raw, all)
	home, err := v.asked(ctx, tx, all, r)
	if err != nil {
		return page, false, err
	}
	found, err := v.candidates(ctx, tx, r, home)
	if err != nil {
		return page, false, err
	}
	if in, rest, ok := r.abroad(all); ok && len(found) == 0 {
		there := r
		there.Name = rest
		if found, err = v.candidates(ctx, tx, there, in); err != nil {
			return page, false, err
		}
	}
	if len(found) == 0 && r.uri && Pattern(raw) {
		if found, err = v.Matches(ctx, tx, raw); err != nil {
			return page, false, err
		}
	}
	if len(found) == 0 && r.Space == "" && home.Row != 0 {
		strayed = r.ID == "" && r.Prefix == "" && !idOfKT().MatchString(r.Name)
		if found, err = v.candidates(ctx, tx, r, kb.Space{}); err != nil {
			return page, false, err
		}
	}
	if len(found) == 0 && home.Row != 0 {
		strayed = false
		if found, err = adorned(ctx, tx, r.Name, home); err != nil {
			return page, false, err
		}
	}
	if len(found) == 0 && r.uri {
		in, name := home, r.Name
		if there, rest, ok := r.abroad(all); ok {
			in, name = there, rest
		}
		if found, err = movedFrom(ctx, tx, name, in, all); err != nil {
			return page, false, err
		}
	}
	switch len(found) {
	case 1:
		return found[0], strayed, space.InPin(v.Spaces, all, found[0].SpaceID)
	case 0:
		return page, false, v.notFound(ctx, tx, r, home)
	}
	return page, false, ambiguous(raw, found)
}

// Ahead returns the usual result of a ref, for store.Foresee: it makes the first
// reads of Resolve, and none of those needed only for a ref without a page.
func (v *Resolver) Ahead(ctx context.Context, tx store.Tx, raw string) (kb.Page, bool) {
	all, err := v.Spaces.AllTx(ctx, tx)
	if err != nil || strings.TrimSpace(raw) == "" || CheckURI(raw) != nil {
		return kb.Page{}, false
	}
	r := Parse(raw, all)
	home, err := v.asked(ctx, tx, all, r)
	if err != nil {
		return kb.Page{}, false
	}
	found, err := v.candidates(ctx, tx, r, home)
	if err != nil || len(found) != 1 {
		return kb.Page{}, false
	}
	return found[0], true
}

// movedFrom returns the page that was at a path before it was moved, in a space or
// in each of all: an old URI resolves to it until another page has the name.
func movedFrom(ctx context.Context, tx store.Tx, name string, in kb.Space, all []kb.Space) (found []kb.Page, err error) {
	name = strings.Trim(name, "/")
	for _, s := range all {
		if in.Row != 0 && in.Row != s.Row {
			continue
		}
		f := store.VersionFilter{Spaces: []int64{s.Row}, Paths: []string{name, name + ".md", name + ".org"}}
		versions, _, err := tx.History().Versions(ctx, f, 1, 0)
		if err != nil {
			return nil, err
		}
		if len(versions) == 0 {
			continue
		}
		pages, err := tx.Pages().ByID(ctx, versions[0].Page)
		if err != nil {
			return nil, err
		}
		found = append(found, slices.DeleteFunc(pages, func(p kb.Page) bool { return p.SpaceID != s.ID })...)
	}
	return found, nil
}

// asked is Home for a caller that may have named a space, which must exist then.
func (v *Resolver) asked(ctx context.Context, tx store.Tx, all []kb.Space, r Ref) (kb.Space, error) {
	if v.Spaces.Asked != "" && len(all) > 0 {
		s, err := space.Named(all, v.Spaces.Asked)
		if err == nil {
			err = space.InPin(v.Spaces, all, s.ID)
		}
		if err != nil {
			return kb.Space{}, err
		}
	}
	return v.Home(ctx, tx, all, r.Space), nil
}

// Home returns the space in which a ref is looked up first; zero means all.
func (v *Resolver) Home(ctx context.Context, tx store.Tx, all []kb.Space, name string) kb.Space {
	if name != "" {
		i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Name == name })
		return all[i]
	}
	s, err := v.Spaces.CurrentTx(ctx, tx)
	if err != nil {
		return kb.Space{} // there is no current space: search everywhere
	}
	return s
}

// candidates returns the pages that a ref may refer to in a space, only of the best
// kind of match.
func (v *Resolver) candidates(ctx context.Context, tx store.Tx, r Ref, in kb.Space) ([]kb.Page, error) {
	within := func(pages []kb.Page, err error) ([]kb.Page, error) {
		if in.Row == 0 || err != nil {
			return pages, err
		}
		return slices.DeleteFunc(pages, func(p kb.Page) bool { return p.SpaceID != in.ID }), nil
	}
	switch {
	case r.ID != "":
		found, err := within(tx.Pages().ByID(ctx, r.ID))
		if len(found) > 0 || err != nil || r.Name == r.raw {
			return found, err
		}
	case r.Row != 0:
		if found, err := tx.Pages().Get(ctx, []int64{r.Row}); len(found) > 0 || err != nil {
			return found, err
		}
	case r.Prefix != "":
		return within(tx.Pages().ByIDPrefix(ctx, r.Prefix, 16))
	}
	if found, err := v.byPath(ctx, tx, r.Name, in); len(found) > 0 || err != nil {
		return found, err
	}
	found, err := ByName(ctx, tx, r.Name, in)
	if err != nil || len(found) == 1 {
		return found, err
	}
	if name, ok := v.aliased(ctx, r.Name, in); ok {
		if meant, err := v.byPath(ctx, tx, name, in); len(meant) > 0 || err != nil {
			return meant, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return v.byNode(ctx, tx, r.Name, in)
}

// aliased returns the path of the page for an alias in the policy of its space.
// An unreadable policy has no aliases.
func (v *Resolver) aliased(ctx context.Context, name string, in kb.Space) (string, bool) {
	if in.Row == 0 {
		return "", false
	}
	p, _, err := v.Spaces.Policy(ctx, in, nil)
	if err != nil {
		return "", false
	}
	to, ok := p.Unaliased(strings.TrimPrefix(name, "/"))
	if ok && doc.ForPath(v.Codecs, to) == nil && path.Ext(to) == "" {
		to += extensionOf(p.Format)
	}
	return to, ok
}

// extensionOf returns the extension of new pages in a format.
func extensionOf(format string) string {
	if format == string(doc.Org) {
		return ".org"
	}
	return ".md"
}

// byPath finds a document by its path with extension: relative to the space, or a
// path of the file system within it.
func (v *Resolver) byPath(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	if doc.ForPath(v.Codecs, name) == nil || in.Row == 0 {
		return nil, nil
	}
	for _, p := range v.pathsIn(in, name) {
		pages, err := tx.Pages().ByPath(ctx, in.Row, p)
		if err != nil {
			return nil, err
		}
		if len(pages) > 0 {
			return pages[:1], nil
		}
	}
	return nil, nil
}

// pathsIn lists the paths within a space that a user's name may refer to.
func (v *Resolver) pathsIn(in kb.Space, name string) []string {
	paths := []string{filepath.ToSlash(filepath.Clean(name))}
	if in.Root == "" {
		return paths
	}
	if rel, err := filepath.Rel(in.Root, v.Spaces.Place.Absolute(name)); err == nil && filepath.IsLocal(rel) {
		paths = append(paths, filepath.ToSlash(rel))
	}
	return paths
}

// ByName finds the pages with a name, independent of any linking page.
func ByName(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	keys := link.MeantKeys(name)
	found, err := tx.Pages().ByNames(ctx, in.Row, keys)
	if err != nil {
		return nil, err
	}
	pages := map[int64]kb.Page{} // one may carry several of the keys
	var candidates []link.Page
	for _, key := range keys {
		for _, p := range found[key] {
			if _, twice := pages[p.Row]; !twice {
				pages[p.Row] = p
				candidates = append(candidates, linked(p))
			}
		}
	}
	var out []kb.Page
	for _, row := range link.Meant(name, candidates) {
		out = append(out, pages[row])
	}
	if about, ok := link.RefKey(name); ok && len(out) == 0 {
		out = found[about]
	}
	if len(out) == 0 {
		out = found[link.IDKey(name)]
	}
	return out, nil
}

func ambiguous(raw string, found []kb.Page) error {
	refs := make([]string, len(found))
	for i, p := range found {
		refs[i] = p.Ref()
		if p.Node == "" {
			refs[i] = p.Space + ":" + p.Path
		}
	}
	alike := map[string]int{}
	for _, ref := range refs {
		alike[norm.NFC.String(ref)]++
	}
	for i, ref := range refs {
		if alike[norm.NFC.String(ref)] > 1 { // they cannot be distinguished
			refs[i] = string(found[i].ID)
		}
	}
	slices.Sort(refs)
	show := refs
	if len(show) > 5 {
		show = append(slices.Clone(show[:5]), "…")
	}
	return kb.Errorf(kb.Ambiguous, "%q names %d pages", raw, len(found)).
		WithHint("Say which: %s", strings.Join(show, ", ")).With("candidates", refs)
}

// maxSuggestions is the number of similar names suggested by a failed lookup.
const maxSuggestions = 3

func (v *Resolver) notFound(ctx context.Context, tx store.Tx, r Ref, home kb.Space) error {
	e := kb.Errorf(kb.NotFound, "no page %q", r.raw)
	if home.Row != 0 && r.Space != "" {
		e = kb.Errorf(kb.NotFound, "no page %q in %s", r.Name, home.Name)
	}
	if dir, is := strings.CutSuffix(r.Name, "/"); is && dir != "" {
		e = kb.Errorf(kb.NotFound, "no page in the directory %q", dir)
		if home.Row != 0 {
			e = kb.Errorf(kb.NotFound, "no page in the directory %q of %s", dir, home.Name)
		}
	}
	if strange, ok := UnknownSpace(r.Name); ok && r.Space == "" {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		return space.NoSuch(strange, all)
	}
	if at := strings.LastIndexByte(r.raw, '#'); at > 0 {
		if page, _, err := v.lookUp(ctx, tx, r.raw[:at]); err == nil {
			return e.WithHint("Name the whole page: %s", page.Ref())
		}
	}
	near, err := v.similar(ctx, tx, r.Name, home)
	if err != nil {
		return err
	}
	titled, err := titledAlike(ctx, tx, r.Name, home)
	if err != nil {
		return err
	}
	for _, p := range titled {
		if len(near) < maxSuggestions && !slices.Contains(near, p.Slug) {
			near = append(near, p.Slug)
		}
	}
	if len(near) == 0 {
		return e.WithReason(kb.PageNotFound)
	}
	return e.WithHint("Did you mean %s?", strings.Join(near, ", ")).With("suggestions", near)
}

// leastBeginning is the minimum length of a prefix match in bytes.
const leastBeginning = 4

// similar returns the slugs with a small edit distance from name, as a whole or in
// the last segment, then those with name as a prefix of the last segment.
func (v *Resolver) similar(ctx context.Context, tx store.Tx, name string, home kb.Space) ([]string, error) {
	if home.Row == 0 {
		return nil, nil
	}
	states, err := tx.Documents().States(ctx, home.Row)
	if err != nil {
		return nil, err
	}
	type near struct {
		slug        string
		dist, whole int
	}
	want := kb.NameKey(name[strings.LastIndexByte(name, '/')+1:])
	limit := max(1, len(want)/4)
	var all []near
	for _, s := range states {
		slug := link.Slug(s.Path)
		last := kb.NameKey(slug[strings.LastIndexByte(slug, '/')+1:])
		d := edits(want, last, limit)
		if d > limit && len(want) >= leastBeginning && strings.HasPrefix(last, want) {
			d = limit + len(last) - len(want)
		} else if d > limit {
			continue
		}
		all = append(all, near{slug, d, edits(name, slug, len(name))})
	}
	slices.SortFunc(all, func(x, y near) int {
		return cmp.Or(cmp.Compare(x.dist, y.dist), cmp.Compare(x.whole, y.whole), cmp.Compare(x.slug, y.slug))
	})
	var out []string
	for _, n := range all[:min(len(all), maxSuggestions)] {
		out = append(out, n.slug)
	}
	return out, nil
}

// edits counts the insertions, deletions, replacements and swaps of
// neighbours between two strings, bytewise, giving up above limit (optimal
// string alignment).
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		best := row[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
			best = min(best, row[j+1])
		}
		if best > limit {
			return limit + 1
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}

// Complete returns at most limit refs that start with prefix, for completion, and
// their total number: slugs of the current space or, without one, refs with the
// name of a space, also matched by their slug. Case is ignored. With typed, case
// matters and every result starts with prefix, as shells need it: then a slug in
// several spaces needs the name of one before it.
func (v *Resolver) Complete(ctx context.Context, prefix string, limit int, typed bool) (out []string, total int, err error) {
	meant, err := v.Spaces.Meant(ctx)
	if err != nil {
		return nil, 0, err
	}
	var refs, slugs []string
	holders := map[string]int{} // number of pages with a slug
	err = v.DB.View(ctx, func(tx store.Tx) error {
		for _, s := range meant {
			states, err := tx.Documents().States(ctx, s.Row)
			if err != nil {
				return err
			}
			named := ""
			if len(meant) > 1 {
				named = s.Name + ":"
			}
			for _, st := range states {
				slug := link.Slug(st.Path)
				refs, slugs = append(refs, named+slug), append(slugs, slug)
				holders[slug]++
			}
		}
		return nil
	})
	fold := func(text string) string { return strings.ToLower(norm.NFC.String(text)) }
	for i, ref := range refs {
		slug := slugs[i]
		switch {
		case strings.HasPrefix(ref, prefix):
		case typed && holders[slug] == 1 && strings.HasPrefix(slug, prefix):
			ref = slug
		case !typed && (strings.HasPrefix(fold(ref), fold(prefix)) || strings.HasPrefix(fold(slug), fold(prefix))):
		default:
			continue
		}
		if total++; len(out) < limit {
			out = append(out, ref)
		}
	}
	return out, total, err
}
