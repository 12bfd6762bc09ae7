package link

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// RelationKind is the kb.Link.Kind of an explicit relation line.
const RelationKind = "relation"

// Ref is a link to resolve.
type Ref struct {
	Kind     string // doc.LinkKind, or RelationKind
	Name     string // decoded target, see kb.Link.Name
	FromPath string // document with the link
	Rules    Rules  // of its space
}

// Rules are the settings of a space that affect how its links are resolved.
type Rules struct {
	// Vault means that Markdown links are resolved as in Obsidian: they may be the path from
	// the root of the vault, the end of a path, or the name of a file.
	Vault bool
	// Relative means that new links of a vault have the path relative to the document.
	Relative bool
	// Named means that links name a page by its title or an alias, as in Logseq: the name of
	// its file is only a fallback.
	Named bool
}

// RulesOf returns the rules of a syntax.
func RulesOf(s kb.Syntax) Rules {
	of := doc.SyntaxOf(s)
	return Rules{Vault: of.Vault, Relative: of.NewLinks == doc.RelativePath, Named: of.Named}
}

// isLoose reports whether a link is a Markdown link of an Obsidian vault that does not start
// with "/", "./" or "../".
func (r Ref) isLoose() bool {
	return r.Rules.Vault && r.Kind == string(doc.MarkLink) && !isAnchored(r.Name)
}

// namesFile reports whether a link is resolved like a file name in Obsidian: in a vault, a
// wikilink or a loose Markdown link.
func (r Ref) namesFile() bool {
	return r.Rules.Vault && (r.isLoose() || !isPath(r.Kind)) && !isKeyed(r.Kind)
}

// isAnchored reports whether a path has an explicit start, such as / or ./.
func isAnchored(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, contentRoot) || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}

// Page is a candidate for a link.
type Page struct {
	Row     int64
	ID      kb.ID
	Path    string
	Node    string
	Title   string
	Aliases []string // includes the title if it is the page's first heading
	Refs    []string // see doc.Node.Refs; not needed on candidates that were found by them
	Keys    []string // see Names; not needed without ids in Refs
}

// Headed reports whether the page has no title of its own but uses its first heading, like
// kb.Page.Headed. A link resolves to such a page by the heading only if no other page has
// the name explicitly.
func (p *Page) Headed() bool { return slices.Contains(p.Aliases, p.Title) }

// Key returns the key by which a link with this target is found.
func Key(kind, name string) string {
	if kind == string(doc.BlockRef) {
		return "^" + strings.ToLower(name)
	}
	if id, ok := kb.ParseID(name); ok {
		return string(id)
	}
	if key, ok := RefKey(name); ok && kind == string(doc.OrgCite) {
		return key
	}
	if isPath(kind) || isSite(kind) {
		name = trimNoteExt(strings.TrimSuffix(name, "/"))
	} else {
		name = trimNoteExt(name)
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	return kb.NameKey(name)
}

// Names returns the keys of a page, except its id, without duplicates.
func Names(p Page) []string {
	keys := make([]string, 0, 2+len(p.Aliases)+len(p.Refs))
	if p.Node == "" { // an Org node does not have the name of its file
		slug := Slug(p.Path)
		keys = append(keys, kb.NameKey(lastSegment(slug)))
		if of := bundled(slug); of != slug {
			keys = append(keys, kb.NameKey(lastSegment(of)))
		}
	}
	keys = append(keys, kb.NameKey(p.Title), kb.NameKey(lastSegment(p.Title)))
	for _, a := range p.Aliases {
		keys = append(keys, kb.NameKey(lastSegment(a)))
	}
	for _, r := range p.Refs {
		if key, ok := RefKey(r); ok {
			keys = append(keys, key)
			if id, ok := strings.CutPrefix(key, idRef); ok {
				keys = append(keys, kb.NameKey(id))
			}
			if key[0] == '@' { // cited without its sign, as in Markdown
				keys = append(keys, kb.NameKey(key))
			}
		}
	}
	keys = append(keys, fileNumber(p))
	for _, name := range adornable(p) {
		if bare := unadorned(name); len(bare) < len(name) {
			keys = append(keys, kb.NameKey(bare))
		}
	}
	out := keys[:0]
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if k != "" && !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// RefKey returns the key for a name that is a ref: "@key" of a bibliography, a
// web address, without its scheme; "denote:ID" for a Denote identifier; "id:ID"
// for an id that is not a UUID; "^UUID" or, as links write it, "((UUID))" for a
// block id. It returns false for any other name.
func RefKey(name string) (key string, ok bool) {
	if strings.HasPrefix(name, "@") && len(name) > 1 {
		return strings.ToLower(name), true
	}
	if id, ok := strings.CutPrefix(name, idRef); ok && id != "" && !strings.HasPrefix(id, "//") {
		return name, true
	}
	if strings.HasPrefix(name, doc.DenoteScheme) && len(name) > len(doc.DenoteScheme) {
		return name, true
	}
	if strings.HasPrefix(name, "((") && strings.HasSuffix(name, "))") {
		name = "^" + name[2:len(name)-2]
	}
	if block, ok := strings.CutPrefix(name, "^"); ok {
		id, ok := kb.ParseID(block)
		return "^" + string(id), ok
	}
	scheme, rest, ok := strings.Cut(name, ":")
	return rest, ok && strings.HasPrefix(rest, "//") && len(rest) > 2 && (scheme == "http" || scheme == "https")
}

// idRef is the prefix of refs for ids that are not UUIDs.
const idRef = "id:"

// IDKey returns the key of the page with an id that is not a UUID.
func IDKey(id string) string { return idRef + strings.TrimSpace(id) }

// numbers match the digits at the start and at the end of a file's name that may be the id
// of a note, as in "202104011200 Title": ten or more, of a time.
var numbers = [...]*regexp.Regexp{
	regexp.MustCompile(`^[0-9]{10,17}(?:[^0-9A-Za-z]|$)`),
	regexp.MustCompile(`(?:^|[^0-9A-Za-z])[0-9]{10,17}$`),
}

// fileNumber returns the id of a note in its file name, "" for none.
func fileNumber(p Page) string {
	if p.Node != "" {
		return ""
	}
	name := lastSegment(Slug(p.Path))
	if !strings.ContainsAny(name, "0123456789") {
		return ""
	}
	for _, pattern := range numbers {
		if found := pattern.FindString(name); found != "" {
			return strings.TrimFunc(found, func(r rune) bool { return r < '0' || r > '9' })
		}
	}
	return ""
}

// numbered returns the ids of a page that are not UUIDs.
func numbered(p *Page) []string {
	var out []string
	if number := fileNumber(*p); number != "" {
		out = append(out, number)
	}
	for _, key := range p.Keys {
		if id, ok := strings.CutPrefix(key, idRef); ok {
			out = append(out, id)
		}
	}
	return out
}

// isKeyed reports whether the key of a link alone determines its target.
func isKeyed(kind string) bool {
	return kind == string(doc.OrgCite) || kind == string(doc.BlockRef)
}

// Resolve returns the rows of the pages that match a link best: one if it is unambiguous,
// several if it is ambiguous, none if nothing matches. Candidates are the pages with
// Key(ref).
//
// Matches are ranked by kind (id; path; file name; title; alias; first heading), then by
// spelling (exact; same except for case; same key), then by the distance from the linking
// document (same directory, then directories nearest in the tree). A relative link of
// Markdown or Org matches exactly one path.
//
// Many pages may start with the same heading: a link that matches only headings resolves
// only if it matches a single one.
func Resolve(ref Ref, candidates []Page) []int64 {
	rows, by := best(candidates, rank.less, func(p *Page) (rank, bool) { return match(ref, p) })
	if by.how == byHeading && len(rows) > 1 {
		return nil
	}
	return rows
}

// best returns the rows of the candidates that match best, and their rank.
func best(candidates []Page, better func(a, b rank) bool, match func(*Page) (rank, bool)) (rows []int64, most rank) {
	for i := range candidates {
		r, ok := match(&candidates[i])
		switch {
		case !ok:
		case len(rows) == 0 || better(r, most):
			most, rows = r, append(rows[:0], candidates[i].Row)
		case r == most:
			rows = append(rows, candidates[i].Row)
		}
	}
	return rows, most
}

// rank orders matches; smaller is better.
type rank struct{ how, spelling, distance int }

func (a rank) less(b rank) bool {
	if a.how != b.how {
		return a.how < b.how
	}
	if a.spelling != b.spelling {
		return a.spelling < b.spelling
	}
	return a.distance < b.distance
}

// The kinds of matches, best first.
const (
	byID = iota
	byPath
	byFile
	byTitle
	byAlias
	byNumber // an id that is not a UUID, as in a Zettelkasten
	byFold   // the file, if links do not refer to files, or match only by key in an Obsidian vault
	byHeading
)

// NamesTitle reports whether a link names a page by its title, ignoring case.
func NamesTitle(ref Ref, p Page) bool {
	s, ok := spelled(ref.Name, p.Title)
	return ok && s < 2
}

// NamesFile reports whether a link names a page by its path or its file, ignoring case.
// Other programs follow such a link, even if it is also the title of the page.
func NamesFile(ref Ref, p Page) bool {
	r, ok := match(ref, &p)
	return ok && (r.how == byPath || r.how == byFile) && r.spelling < 2
}

func match(ref Ref, p *Page) (rank, bool) {
	if isKeyed(ref.Kind) {
		return rank{how: byAlias, distance: distance(ref.FromPath, p.Path)}, true
	}
	if id, ok := kb.ParseID(ref.Name); ok {
		return rank{how: byID}, id == p.ID
	}
	var fold rank
	folds := false
	switch {
	case ref.namesFile():
		r, ok := matchVault(ref, p)
		if ok && r.how != byFold || isPath(ref.Kind) || isAnchored(ref.Name) {
			return r, ok
		}
		fold, folds = r, ok
	case isPath(ref.Kind):
		return matchPath(ref, p)
	case isSite(ref.Kind):
		return matchSite(ref, p)
	case ref.Rules.Named:
		fold, folds = matchEnd(ref, p)
	case p.Node == "":
		if r, ok := matchSlug(ref, p); ok {
			return r, true
		}
	}
	if s, ok := spelled(ref.Name, p.Title); ok && !p.Headed() {
		return rank{byTitle, s, distance(ref.FromPath, p.Path)}, true
	}
	for how, names := range [...][]string{byAlias: p.Aliases, byNumber: numbered(p), byFold: nil, byHeading: {p.Title}} {
		if how == byFold && folds {
			return fold, true
		}
		best, found := 0, false
		for _, name := range names {
			if s, ok := spelled(ref.Name, name); ok && (how != byAlias || name != p.Title) && (!found || s < best) {
				best, found = s, true
			}
		}
		if found {
			return rank{how, best, distance(ref.FromPath, p.Path)}, true
		}
	}
	return rank{}, false
}

// matchPath compares a relative link with the only path that it refers to: relative to the
// linking document or, if it starts with a slash, to the root of the space or else to a
// directory above the document.
func matchPath(ref Ref, p *Page) (rank, bool) {
	if p.Node != "" {
		return rank{}, false
	}
	for i, root := range pathRoots(ref) {
		want, ok := Join(ref.FromPath, root+ref.Name)
		if !ok {
			continue
		}
		have := p.Path
		if trimNoteExt(want) == want {
			have = Slug(have)
		}
		if s, ok := spelledPath(want, have); ok {
			return rank{how: byPath, spelling: s, distance: i}, true
		}
	}
	return rank{}, false
}

// pathRoots returns the possible prefixes of a link's path: "" or, for one that starts with
// a slash, each directory above the document, which may be the root of a site.
func pathRoots(ref Ref) []string {
	roots := []string{""}
	if strings.HasPrefix(ref.Name, "/") && !ref.Rules.Vault {
		dir := ""
		for _, part := range dirs(ref.FromPath) {
			dir += "/" + part
			roots = append(roots, dir)
		}
	}
	return roots
}

// matchVault compares a link with a page's file like Obsidian, ignoring case: with the path
// from the root, then with the end of the path. Files below the folder of the document are
// preferred, then those with the shortest path. "./", "../" and "/" refer to exactly one
// path.
func matchVault(ref Ref, p *Page) (rank, bool) {
	if p.Node != "" {
		return rank{}, false
	}
	name, have := vaultName(ref, p.Path)
	as := func(how, spelling, distance int) (rank, bool) {
		if spelling == 2 {
			how = byFold
		}
		return rank{how: how, distance: distance}, true
	}
	if isAnchored(name) {
		want, ok := Join(ref.FromPath, name)
		if s, same := spelledPath(want, have); ok && same {
			return as(byPath, s, 0)
		}
		return rank{}, false
	}
	if s, ok := spelledPath(name, have); ok && s < 2 {
		return as(byPath, s, 0)
	}
	if s, ok := spelledPath(name, tail(have, name)); ok {
		return as(byFile, s, vaultDistance(ref.FromPath, p.Path))
	}
	return rank{}, false
}

// matchEnd compares a name with the end of a page's path.
func matchEnd(ref Ref, p *Page) (rank, bool) {
	if p.Node != "" {
		return rank{}, false
	}
	name, have := vaultName(ref, p.Path)
	s, ok := spelledPath(name, tail(have, name))
	return rank{byFold, s, distance(ref.FromPath, p.Path)}, ok
}

// vaultName returns the name in a link of a vault and the path to compare it with: both with
// extension, or both without.
func vaultName(ref Ref, path string) (name, have string) {
	if !isPath(ref.Kind) {
		return trimNoteExt(ref.Name), Slug(path)
	}
	if trimNoteExt(ref.Name) == ref.Name {
		return ref.Name, Slug(path)
	}
	return ref.Name, path
}

// vaultDistance orders the files of a vault with the same name: first those below the folder
// of the document, then by the length of the path.
func vaultDistance(from, to string) int {
	const elsewhere = 1 << 20
	if dir := directory(from); dir != "" && !strings.HasPrefix(strings.ToLower(to), strings.ToLower(dir)+"/") {
		return elsewhere + len(to)
	}
	return len(to)
}

// tail returns the last elements of a path, as many as a name has.
func tail(path, name string) string {
	n := strings.Count(name, "/") + 1
	elements := strings.Split(path, "/")
	return strings.Join(elements[max(0, len(elements)-n):], "/")
}

// matchSlug compares a name with the page's slug: as the whole slug, as a
// path from the linking document's directory, or as the end of the slug
// ("b/c" finds "a/b/c").
func matchSlug(ref Ref, p *Page) (rank, bool) {
	name := trimNoteExt(ref.Name)
	slug := Slug(p.Path)
	if !strings.Contains(name, "/") {
		s, ok := spelled(name, lastSegment(slug))
		return rank{byFile, s, distance(ref.FromPath, p.Path)}, ok
	}
	if s, ok := spelledPath(strings.TrimPrefix(name, "/"), slug); ok {
		return rank{how: byPath, spelling: s}, true
	}
	if joined, ok := Join(ref.FromPath, name); ok {
		if s, ok := spelledPath(joined, slug); ok {
			return rank{how: byPath, spelling: s, distance: 1}, true
		}
	}
	segments := strings.Count(name, "/") + 1
	tail := strings.Split(slug, "/")
	if len(tail) < segments {
		return rank{}, false
	}
	s, ok := spelledPath(name, strings.Join(tail[len(tail)-segments:], "/"))
	return rank{byFile, s, distance(ref.FromPath, p.Path)}, ok
}

// Join returns the path, relative to the space, of a target that is relative to the document
// at from. It is false for targets outside the space.
func Join(from, target string) (string, bool) {
	if rest, ok := strings.CutPrefix(target, contentRoot); ok {
		target = path.Join(contentOf(from), rest)
	} else if strings.HasPrefix(target, "/") {
		target = path.Clean(strings.TrimLeft(target, "/"))
	} else {
		target = path.Join(path.Dir(from), target)
	}
	if target == "." || target == ".." || strings.HasPrefix(target, "../") {
		return "", false
	}
	return target, true
}

// spelled compares two names that may share a key: 0 if equal, 1 if equal except for case, 2
// if only the key is the same.
func spelled(a, b string) (int, bool) {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	switch {
	case a == "" || b == "":
		return 0, false
	case a == b || norm.NFC.String(a) == norm.NFC.String(b):
		return 0, true
	case strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b)):
		return 1, true
	case kb.NameKey(a) == kb.NameKey(b):
		return 2, true
	}
	return 0, false
}

// spelledPath is spelled for paths, segment by segment; the worst result counts.
func spelledPath(a, b string) (int, bool) {
	if a == b {
		return 0, true
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) != len(bs) {
		return 0, false
	}
	worst := 0
	for i := range as {
		s, ok := spelled(as[i], bs[i])
		if !ok {
			return 0, false
		}
		worst = max(worst, s)
	}
	return worst, true
}

// distance counts the directories between two documents in the tree.
func distance(from, to string) int {
	a, b := dirs(from), dirs(to)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	return len(a) + len(b) - 2*same
}

func dirs(p string) []string {
	d := path.Dir(p)
	if d == "." {
		return nil
	}
	return strings.Split(d, "/")
}

func isPath(kind string) bool {
	return kind == string(doc.MarkLink) || kind == string(doc.OrgFile)
}

func lastSegment(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// noteExtensions are file name extensions that may be added to a target without changing its
// page.
var noteExtensions = []string{".md", ".markdown", ".org"}

func trimNoteExt(name string) string {
	for _, ext := range noteExtensions {
		stem := len(name) - len(ext)
		if stem > 0 && name[stem-1] != '/' && strings.EqualFold(name[stem:], ext) {
			return name[:stem]
		}
	}
	if kb.IsTextNote(name) {
		return name[:len(name)-len(".txt")]
	}
	return name
}

// Slug returns the slug of the note at a path: the path without its extension, in normal
// form C, so that the slug does not depend on the form in which the file system stores
// names.
func Slug(p string) string { return norm.NFC.String(trimNoteExt(p)) }
