package link

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// contentRoot is the prefix of Zola's links by a path from the content directory.
const contentRoot = "@/"

// contentDir is the directory of a site from which Hugo and Zola read pages.
const contentDir = "content"

func isSite(kind string) bool { return kind == string(doc.SiteLink) }

// contentOf returns the content directory above a document: the first directory with that
// name, else the root of the space.
func contentOf(from string) string {
	dir := ""
	for _, part := range dirs(from) {
		if dir = path.Join(dir, part); part == contentDir {
			return dir
		}
	}
	return ""
}

// siteRoots returns the directories from which an absolute path in a site may start, for a
// document: its content directory, the root of the space, and each directory above it.
func siteRoots(from string) []string {
	roots := []string{contentOf(from)}
	if roots[0] != "" {
		roots = append(roots, "")
	}
	roots = append(roots, contentDir)
	dir := ""
	for _, part := range dirs(from) {
		dir = path.Join(dir, part)
		roots = append(roots, dir, path.Join(dir, contentDir))
	}
	return roots
}

// bundled returns the slug by which a site refers to a page: for a directory's index, that
// of the directory.
func bundled(slug string) string {
	switch dir, name := path.Split(slug); strings.ToLower(name) {
	case "index", "_index":
		if dir != "" {
			return strings.TrimSuffix(dir, "/")
		}
	}
	return slug
}

// under returns a path relative to a directory above it, "" for the root.
func under(dir, p string) (string, bool) {
	if dir == "" {
		return p, true
	}
	return strings.CutPrefix(p, dir+"/")
}

// siteSlug returns the path in a link of a site, without surrounding slashes and extension.
func siteSlug(name string) string { return trimNoteExt(strings.Trim(name, "/")) }

// matchSite compares a link of a site with a page's file: relative to the document, as a
// path from a root of the site, then, unless it starts with a slash, as the end of a path.
func matchSite(ref Ref, p *Page) (rank, bool) {
	name := siteSlug(ref.Name)
	if p.Node != "" || name == "" {
		return rank{}, false
	}
	slug := Slug(p.Path)
	same := func(want string) (best int, found bool) {
		for _, have := range []string{slug, bundled(slug)} {
			if s, ok := spelledPath(want, have); ok && (!found || s < best) {
				best, found = s, true
			}
		}
		return best, found
	}
	rooted := strings.HasPrefix(ref.Name, "/")
	if joined, ok := Join(ref.FromPath, name); ok && !rooted {
		if s, ok := same(joined); ok {
			return rank{how: byPath, spelling: s}, true
		}
	}
	for i, root := range siteRoots(ref.FromPath) {
		if s, ok := same(path.Join(root, name)); ok {
			return rank{how: byPath, spelling: s, distance: 1 + i}, true
		}
	}
	if rooted {
		return rank{}, false
	}
	for _, have := range []string{slug, bundled(slug)} {
		if s, ok := spelledPath(name, tail(have, name)); ok {
			return rank{byFile, s, distance(ref.FromPath, p.Path)}, true
		}
	}
	return rank{}, false
}

// leadSite is lead for a link of a site. It first looks up the pages at one of its paths,
// and examines all pages only if there are none.
func (t *Targets) leadSite(ref Ref) (row int64, n int) {
	name := siteSlug(ref.Name)
	var some []int
	add := func(slug string) {
		for _, s := range []string{slug, slug + "/index", slug + "/_index"} {
			some = union(some, t.slugs()[foldPath(s)])
		}
	}
	if joined, ok := Join(ref.FromPath, name); ok {
		add(joined)
	}
	for _, root := range siteRoots(ref.FromPath) {
		add(path.Join(root, name))
	}
	if row, n := t.among(ref, some); n > 0 || strings.HasPrefix(ref.Name, "/") {
		return row, n
	}
	t.steps += len(t.pages)
	return one(Resolve(ref, t.pages))
}

// SiteName returns the name of a site's link after its path was changed to raw.
func SiteName(t doc.Target, raw string) string {
	if strings.HasPrefix(t.Name, "/") && !strings.HasPrefix(t.Raw, "/") { // a tag of Jekyll
		return "/" + raw
	}
	return raw
}

// SitePaths returns the possible paths of a site link from the document at from to the one
// at to, best first: in the form of t, which was in the document at was and resolved to
// before.
func SitePaths(t doc.Target, was, before, from, to string) (out []string) {
	name := siteSlug(t.Raw)
	shown := func(p string) string {
		switch {
		case bundled(Slug(p)) != Slug(p) && bundled("x/"+name) == "x/"+name: // by its directory
			return bundled(Slug(p))
		case name == strings.Trim(t.Raw, "/"): // without extension
			return Slug(p)
		}
		return p
	}
	rooted := strings.HasPrefix(t.Name, "/")
	var root string
	for _, root = range siteRoots(was) {
		if s := path.Join(root, name); s == Slug(before) || s == bundled(Slug(before)) {
			break
		}
	}
	if rest, ok := under(root, to); ok {
		rest = shown(rest)
		if strings.HasPrefix(t.Raw, "/") {
			rest = "/" + rest
		}
		if rooted || strings.Contains(t.Raw, "/") {
			out = append(out, rest)
		}
	}
	if !rooted {
		if joined, ok := Join(was, name); ok && (joined == Slug(before) || joined == bundled(Slug(before))) {
			out = append([]string{shown(Relative(from, to))}, out...)
		}
		out = append(out, path.Base(shown(to)), shown(Relative(from, to)), shown(to))
	}
	return append(out, strings.TrimPrefix("/"+shown(to), strings.TrimSuffix(t.Name, t.Raw)))
}
