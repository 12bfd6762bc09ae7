package link

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// IsRelative reports whether a target is a path as seen from its document.
func IsRelative(t doc.Target, rules Rules) bool {
	ref := Ref{Kind: string(t.Kind), Name: t.Name, Rules: rules}
	return isPath(ref.Kind) && !strings.HasPrefix(t.Name, "/") && !strings.HasPrefix(t.Name, contentRoot) && !ref.isLoose()
}

// Moved returns the edit that keeps the relative links of a moved document pointing
// to their targets. isFile reports whether a file is at a path: a link to a missing
// file that is not a page is unchanged.
func Moved(d *doc.Document, rules Rules, from, to string, isFile func(path string) bool) (edit doc.Retarget) {
	targets := d.Targets()
	pages := len(targets)
	for i, t := range append(targets, d.Files...) {
		// In a vault with relative links this includes links to files that are not pages,
		// which nothing else resolves.
		attached := rules.Relative && t.Kind == doc.MarkLink && !isAnchored(t.Name) && !doc.IsPage(t.Name) && strings.Contains(path.Base(t.Name), ".")
		if !IsRelative(t, rules) && !attached {
			continue
		}
		if leads, ok := Join(from, t.Name); ok && (i < pages || isFile(leads)) {
			seen := Relative(to, leads)
			if rules.Vault && !attached && !isAnchored(seen) { // else a file of this name elsewhere may take precedence
				seen = "./" + seen
			}
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: encode(t, seen)})
		}
	}
	return edit
}

// PathTarget returns the target of a link by path from the document at from to the one at
// to, in the style of the previous target t.
func PathTarget(codecs []doc.Codec, t doc.Target, rules Rules, from, to string) string {
	if isBare(codecs, t.Name, to) {
		to = Slug(to)
	}
	if strings.HasPrefix(t.Name, "/") {
		return encode(t, "/"+to)
	}
	if strings.HasPrefix(t.Name, contentRoot) {
		if rest, ok := under(contentOf(from), to); ok {
			return encode(t, contentRoot+rest)
		}
	}
	if ref := (Ref{Kind: string(t.Kind), Name: t.Name, Rules: rules}); ref.isLoose() && !rules.Relative {
		return encode(t, to)
	}
	return encode(t, Relative(from, to))
}

// isBare reports whether the path of a document is written without its extension: if the
// previous name was, unless the rest would look like the name of another file, such as
// "v1.2".
func isBare(codecs []doc.Codec, name, to string) bool {
	return doc.ForPath(codecs, name) == nil && !strings.Contains(path.Base(Slug(to)), ".")
}

// RootedPath returns the target for a link with a path that starts with a slash:
// the link was in the document at was and resolved to before; the result resolves
// to the document at to, from the same root.
func RootedPath(codecs []doc.Codec, t doc.Target, rules Rules, was, before, from, to string) string {
	for _, root := range pathRoots(Ref{Kind: string(t.Kind), Name: t.Name, FromPath: was, Rules: rules}) {
		root = strings.TrimPrefix(root, "/")
		led, _ := Join(was, "/"+path.Join(root, t.Name))
		if rest, ok := under(root, to); ok && Slug(led) == Slug(before) {
			return PathTarget(codecs, t, rules, from, rest)
		}
	}
	return PathTarget(codecs, t, rules, from, to)
}

// LoosePaths returns the possible targets of a Markdown link from the document at
// from to the one at to in a vault of Obsidian, best first: in the form of t, which
// resolved to the document at before, else in the form of new links.
func LoosePaths(codecs []doc.Codec, t doc.Target, form doc.PathForm, was, before, from, to string) (out []string) {
	if doc.ForPath(codecs, t.Name) == nil {
		before = Slug(before)
	}
	if isBare(codecs, t.Name, to) {
		to = Slug(to)
	}
	seen, _ := Join(was, t.Name)
	switch {
	case isAnchored(t.Name) || form == doc.RelativePath && seen == before:
		form = doc.RelativePath
	case strings.Contains(t.Name, "/") && t.Name == before:
		form = doc.RootPath
	case strings.Contains(t.Name, "/") && seen == before:
		form = doc.RelativePath
	}
	paths := []string{to, Relative(from, to)}
	switch form {
	case doc.RelativePath:
		paths = Seen(from, to)
		if strings.HasPrefix(t.Name, "./") {
			slices.Reverse(paths)
		}
	case doc.ShortestPath:
		paths = append([]string{to[strings.LastIndexByte(to, '/')+1:]}, paths...)
	}
	return append(paths, "/"+to)
}

// IsSeen reports whether the name in a wikilink of an Obsidian vault is the path of a page
// relative to the document at from, rather than its name or its path from the root.
func IsSeen(name, from, page string, form doc.PathForm) bool {
	seen, ok := Join(from, trimNoteExt(name))
	return isAnchored(name) && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, contentRoot) || form == doc.RelativePath && ok && seen == Slug(page)
}

// Seen returns the ways to write the path of to relative to the document at from in an
// Obsidian vault: with "./" a path refers to this file even if a file below the root has the
// same path.
func Seen(from, to string) []string {
	relative := Relative(from, to)
	if isAnchored(relative) {
		return []string{relative}
	}
	return []string{relative, "./" + relative}
}

// Spelled writes a path as the target of a link in the style of t.
func Spelled(t doc.Target, p string) string { return encode(t, p) }

// Mention writes a link to a page that replaces a word such as "@name": as a wikilink if
// such a word cannot express it.
func Mention(t doc.Target, name string) string {
	prefix := strings.TrimSuffix(t.Name, t.Raw[1:])
	if word, ok := strings.CutPrefix(name, prefix); ok && word != "" && !strings.ContainsAny(word, " \t") {
		return t.Raw[:1] + word
	}
	if prefix == "" {
		return t.Raw[:1] + "[[" + name + "]]"
	}
	return "[[" + name + "]]"
}

// Relative returns the path of to relative to the document at from.
func Relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	a = a[:len(a)-1] // its directory
	for len(a) > 0 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)) + strings.Join(b, "/")
}

// encode writes a path in the syntax of the link: percent-encoded in Markdown, unless it was
// written in angle brackets. In Org a path without "file:" starts with "./" or "../".
func encode(t doc.Target, p string) string {
	if t.Kind == doc.OrgFile && isAnchored(t.Name) && !isAnchored(p) {
		return "./" + p
	}
	if t.Kind != doc.MarkLink || t.Raw == t.Name && strings.ContainsAny(t.Raw, " ") && !strings.ContainsAny(p, `<>\%`) {
		return p
	}
	escaped := (&url.URL{Path: p}).EscapedPath()
	if strings.IndexFunc(t.Raw, isForeign) < 0 {
		return escaped
	}
	// Letters that were written unencoded stay so.
	var b strings.Builder
	for _, r := range p {
		if isForeign(r) {
			b.WriteRune(r)
		} else {
			b.WriteString((&url.URL{Path: "/" + string(r)}).EscapedPath()[1:])
		}
	}
	return b.String()
}

// isForeign reports whether a character is beyond ASCII and allowed in a destination.
func isForeign(r rune) bool { return r > 0x7F && r != utf8.RuneError }
