package link

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Targets holds the candidate pages of links with one key, ordered so that
// thousands of links can be resolved among thousands of pages without examining
// each of them: every directory of a vault may have its index.md. It is used by one
// goroutine at a time.
type Targets struct {
	pages   []Page
	byID    map[kb.ID][]int
	byPath  map[string][]int // by folded path
	bySlug  map[string][]int
	files   map[ending]*names
	titles  *names // of pages with a title of their own
	aliases *names
	numbers *names // ids that are not UUIDs
	heads   *names // first headings of pages without a title of their own
	steps   int    // number of pages, names and directories examined so far, for tests
}

// NewTargets returns the targets among pages, which it keeps.
func NewTargets(pages []Page) *Targets { return &Targets{pages: pages} }

// Lead returns the page that a link resolves to and the number of candidates,
// as Resolve does: row 0 unless there is exactly one. Nil targets have no
// pages.
func (t *Targets) Lead(ref Ref) (row int64, candidates int) {
	if t == nil {
		return 0, 0
	}
	row, n := t.lead(ref)
	if n != 1 {
		row = 0
	}
	return row, n
}

func (t *Targets) lead(ref Ref) (row int64, n int) {
	if len(t.pages) <= few || isKeyed(ref.Kind) {
		return one(Resolve(ref, t.pages))
	}
	if id, ok := kb.ParseID(ref.Name); ok {
		return t.among(ref, t.ids()[id])
	}
	if isSite(ref.Kind) {
		return t.leadSite(ref)
	}
	if ref.namesFile() {
		if row, n := t.leadVault(ref); n > 0 || isPath(ref.Kind) || isAnchored(ref.Name) {
			return row, n
		}
		return t.leadName(ref)
	}
	if isPath(ref.Kind) {
		var some []int
		for _, root := range pathRoots(ref) {
			want, _ := Join(ref.FromPath, root+ref.Name)
			if trimNoteExt(want) == want {
				some = union(some, t.slugs()[foldPath(want)])
			} else {
				some = union(some, t.paths()[foldPath(want)])
			}
		}
		return t.among(ref, some)
	}
	if ref.Rules.Named {
		return t.leadName(ref)
	}
	name := trimNoteExt(ref.Name)
	if strings.Contains(name, "/") {
		whole := t.slugs()[foldPath(strings.TrimPrefix(name, "/"))]
		if joined, ok := Join(ref.FromPath, name); ok && joined != name {
			whole = union(whole, t.slugs()[foldPath(joined)])
		}
		if row, n := t.among(ref, whole); n > 0 {
			return row, n
		}
	}
	if row, n := t.nearest(t.fileNames(strings.Count(name, "/")+1, false), name, ref.FromPath); n > 0 {
		return row, n
	}
	return t.leadName(ref)
}

// leadName is lead for a name that is not a file's: a title, an alias, an id or a heading.
func (t *Targets) leadName(ref Ref) (row int64, n int) {
	if row, n := t.nearest(t.titleNames(), ref.Name, ref.FromPath); n > 0 {
		return row, n
	}
	if row, n := t.nearest(t.aliasNames(), ref.Name, ref.FromPath); n > 0 {
		return row, n
	}
	if row, n := t.nearest(t.numberNames(), ref.Name, ref.FromPath); n > 0 {
		return row, n
	}
	if ref.namesFile() || ref.Rules.Named {
		if row, n := t.leadFold(ref); n > 0 {
			return row, n
		}
	}
	if row, n := t.nearest(t.headingNames(), ref.Name, ref.FromPath); n == 1 {
		return row, n
	}
	return 0, 0
}

// leadVault is lead for a link that names a file of an Obsidian vault; see matchVault.
func (t *Targets) leadVault(ref Ref) (row int64, n int) {
	name, _ := vaultName(ref, "")
	whole, ext := t.slugs(), isPath(ref.Kind) && trimNoteExt(name) != name
	if ext {
		whole = t.paths()
	}
	want := name
	if isAnchored(name) {
		want, _ = Join(ref.FromPath, name)
	}
	exact := slices.DeleteFunc(slices.Clone(whole[foldPath(want)]), func(i int) bool {
		r, ok := matchVault(ref, &t.pages[i])
		return !ok || r.how != byPath
	})
	if len(exact) > 0 {
		return t.among(ref, exact)
	}
	if isAnchored(name) {
		return t.leadFold(ref)
	}
	if row, n := t.nearest(t.vaultFiles(strings.Count(name, "/")+1, ext), name, ref.FromPath); n > 0 || !isPath(ref.Kind) {
		return row, n
	}
	return t.leadFold(ref)
}

// leadFold is lead for a link to a file as a fallback; see byFold.
func (t *Targets) leadFold(ref Ref) (row int64, n int) {
	name, _ := vaultName(ref, "")
	if ref.Rules.Vault && isAnchored(name) {
		want, _ := Join(ref.FromPath, name)
		return t.among(ref, t.slugs()[foldPath(want)])
	}
	all := t.fileNames(strings.Count(name, "/")+1, isPath(ref.Kind) && trimNoteExt(name) != name)
	var found []int
	for other, pages := range all.by {
		t.steps++
		if _, ok := all.spelled(name, other); ok {
			found = append(found, pages...)
		}
	}
	return t.among(ref, found)
}

// few is the number of pages up to which examining them one by one is faster than
// sorting them.
const few = 4

func one(rows []int64) (int64, int) {
	if len(rows) == 0 {
		return 0, 0
	}
	return rows[0], len(rows)
}

// among is Resolve for some of the pages.
func (t *Targets) among(ref Ref, some []int) (int64, int) {
	t.steps += len(some)
	pages := make([]Page, len(some))
	for i, at := range some {
		pages[i] = t.pages[at]
	}
	return one(Resolve(ref, pages))
}

func union(a, b []int) []int {
	out := append([]int(nil), a...)
	seen := make(map[int]bool, len(a))
	for _, i := range a {
		seen[i] = true
	}
	for _, i := range b {
		if !seen[i] {
			out = append(out, i)
		}
	}
	return out
}

func (t *Targets) ids() map[kb.ID][]int {
	if t.byID == nil {
		t.byID = map[kb.ID][]int{}
		for i := range t.pages {
			t.byID[t.pages[i].ID] = append(t.byID[t.pages[i].ID], i)
		}
	}
	return t.byID
}

func (t *Targets) paths() map[string][]int {
	if t.byPath == nil {
		t.byPath = t.folded(func(p *Page) string { return p.Path })
	}
	return t.byPath
}

func (t *Targets) slugs() map[string][]int {
	if t.bySlug == nil {
		t.bySlug = t.folded(func(p *Page) string { return Slug(p.Path) })
	}
	return t.bySlug
}

// folded returns the pages that are documents by their folded path.
func (t *Targets) folded(of func(*Page) string) map[string][]int {
	out := map[string][]int{}
	for i := range t.pages {
		if p := &t.pages[i]; p.Node == "" {
			out[foldPath(of(p))] = append(out[foldPath(of(p))], i)
		}
	}
	t.steps += len(t.pages)
	return out
}

// foldPath returns the common form of paths that are spelled alike, see spelledPath.
func foldPath(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		parts[i] = kb.NameKey(strings.TrimSpace(s))
	}
	return strings.Join(parts, "/")
}

// ending is the last n elements of slugs, or of paths with their extension; vault means that
// they are compared as in an Obsidian vault.
type ending struct {
	n          int
	ext, vault bool
}

// fileNames returns the last n elements of slugs, or of paths with their extension.
func (t *Targets) fileNames(n int, ext bool) *names { return t.endings(ending{n: n, ext: ext}) }

// vaultFiles is fileNames with the comparison of Obsidian: ignoring case, the shortest path
// first.
func (t *Targets) vaultFiles(n int, ext bool) *names {
	return t.endings(ending{n: n, ext: ext, vault: true})
}

func (t *Targets) endings(end ending) *names {
	if t.files[end] == nil {
		n, ext := end.n, end.ext
		all := newNames(n > 1)
		all.vault = end.vault
		for i := range t.pages {
			p := &t.pages[i]
			tail := strings.Split(Slug(p.Path), "/")
			if ext {
				tail = strings.Split(p.Path, "/")
			}
			if p.Node == "" && len(tail) >= n {
				all.add(strings.Join(tail[len(tail)-n:], "/"), i)
			}
		}
		t.steps += len(t.pages)
		if t.files == nil {
			t.files = map[ending]*names{}
		}
		t.files[end] = all
	}
	return t.files[end]
}

func (t *Targets) titleNames() *names {
	if t.titles == nil {
		t.titles, t.heads = newNames(false), newNames(false)
		for i := range t.pages {
			if p := &t.pages[i]; p.Headed() {
				t.heads.add(p.Title, i)
			} else {
				t.titles.add(p.Title, i)
			}
		}
		t.steps += len(t.pages)
	}
	return t.titles
}

func (t *Targets) headingNames() *names {
	t.titleNames()
	return t.heads
}

func (t *Targets) aliasNames() *names {
	if t.aliases == nil {
		t.aliases = newNames(false)
		for i := range t.pages {
			t.steps += 1 + len(t.pages[i].Aliases)
			for _, a := range t.pages[i].Aliases {
				if a != t.pages[i].Title {
					t.aliases.add(a, i)
				}
			}
		}
	}
	return t.aliases
}

func (t *Targets) numberNames() *names {
	if t.numbers == nil {
		t.numbers = newNames(false)
		for i := range t.pages {
			for _, id := range numbered(&t.pages[i]) {
				t.numbers.add(id, i)
			}
		}
		t.steps += len(t.pages)
	}
	return t.numbers
}

// names is an index of pages by one kind of name.
type names struct {
	paths bool             // compared element by element
	vault bool             // compared as in an Obsidian vault
	by    map[string][]int // pages by their name in its normal form
	trees map[string]*tree // of names that were asked for
}

func newNames(paths bool) *names {
	return &names{paths: paths, by: map[string][]int{}, trees: map[string]*tree{}}
}

func (n *names) add(name string, page int) {
	key := n.normal(name)
	if list := n.by[key]; len(list) == 0 || list[len(list)-1] != page {
		n.by[key] = append(list, page)
	}
}

// normal returns the common form of names that are spelled the same.
func (n *names) normal(name string) string {
	if n.vault {
		name = strings.ToLower(name)
	}
	if !n.paths {
		return norm.NFC.String(strings.TrimSpace(name))
	}
	parts := strings.Split(name, "/")
	for i, s := range parts {
		parts[i] = norm.NFC.String(strings.TrimSpace(s))
	}
	return strings.Join(parts, "/")
}

func (n *names) spelled(a, b string) (int, bool) {
	if n.paths {
		return spelledPath(a, b)
	}
	return spelled(a, b)
}

// nearest returns the nearest of the pages with a name in the best spelling, and the number
// of equally near pages.
func (t *Targets) nearest(of *names, name, from string) (row int64, n int) {
	found, ok := of.trees[name]
	if !ok {
		found = t.called(of, name)
		of.trees[name] = found
	}
	if found == nil {
		return 0, 0
	}
	return found.nearest(from, &t.steps)
}

// called returns the pages with a name in the best spelling; nil if there are none.
func (t *Targets) called(of *names, name string) *tree {
	if strings.TrimSpace(name) == "" {
		return nil
	}
	pages := of.by[of.normal(name)]
	switch {
	case len(pages) > 0:
		if _, ok := of.spelled(name, of.normal(name)); !ok {
			return nil
		}
	case !of.vault:
		best := 3
		for other, list := range of.by {
			t.steps++
			switch s, ok := of.spelled(name, other); {
			case !ok || s > best:
			case s < best:
				best, pages = s, append([]int(nil), list...)
			default:
				pages = union(pages, list)
			}
		}
	}
	if len(pages) == 0 {
		return nil
	}
	out := &tree{by: make(map[string]below, len(pages)), vault: of.vault}
	for _, i := range pages {
		t.steps++
		out.add(&t.pages[i])
	}
	return out
}

// tree holds the directories of some pages.
type tree struct {
	by    map[string]below
	vault bool // see vaultDistance
}

// below describes the pages in a directory and below it.
type below struct {
	depth int   // minimum depth of these pages, in directories from the root; in a vault the length of the shortest path
	count int   // number of pages with that depth
	row   int64 // one of these
}

func (t *tree) add(p *Page) {
	dir := directory(p.Path)
	depth := depthOf(dir)
	if t.vault {
		dir, depth = strings.ToLower(dir), len(p.Path)
	}
	for {
		b, ok := t.by[dir]
		switch {
		case !ok || depth < b.depth:
			b = below{depth: depth, count: 1, row: p.Row}
		case depth == b.depth:
			b.count++
		}
		t.by[dir] = b
		if dir == "" {
			return
		}
		dir = parent(dir)
	}
}

// nearest returns a page with the least distance from a document, and the
// number of such pages. For each directory that contains both the document and
// pages, the highest of these pages are nearest through it; only one directory
// gives the overall nearest.
func (t *tree) nearest(from string, steps *int) (row int64, n int) {
	dir := directory(from)
	if t.vault {
		*steps++
		b, ok := t.by[strings.ToLower(dir)]
		if !ok {
			b = t.by[""]
		}
		return b.row, b.count
	}
	own := depthOf(dir)
	least := -1
	for at := own; ; at-- {
		*steps++
		if b, ok := t.by[dir]; ok {
			switch d := own - at + b.depth - at; {
			case least < 0 || d < least:
				least, row, n = d, b.row, b.count
			case d == least:
				n += b.count
			}
		}
		if dir == "" {
			return row, n
		}
		dir = parent(dir)
	}
}

// directory returns the directory of a path; "" is the root.
func directory(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

func depthOf(dir string) int {
	if dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

func parent(dir string) string {
	if i := strings.LastIndexByte(dir, '/'); i >= 0 {
		return dir[:i]
	}
	return ""
}
