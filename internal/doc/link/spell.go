package link

import (
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// IsRelative reports whether where a target leads depends on where its document
// is.
func IsRelative(t doc.Target) bool {
	return (t.Kind == doc.MarkLink || t.Kind == doc.OrgFile) && !strings.HasPrefix(t.Name, "/")
}

// Moved is the edit by which the relative links of a document that was at one path lead
// from another one where they led before.
func Moved(d *doc.Document, from, to string) (edit doc.Retarget) {
	for _, t := range d.Targets() {
		if !IsRelative(t) {
			continue
		}
		if leads, ok := Join(from, t.Name); ok {
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: encode(t, Relative(to, leads))})
		}
	}
	return edit
}

// PathTarget returns the target of a link by path from the document at from to
// the one at to, in the style of the previous target t.
func PathTarget(codecs []doc.Codec, t doc.Target, from, to string) string {
	if doc.ForPath(codecs, t.Name) == nil {
		to = Slug(to) // written without extension, stays so
	}
	if strings.HasPrefix(t.Name, "/") {
		return encode(t, "/"+to)
	}
	return encode(t, Relative(from, to))
}

// Mention writes a link to a page in place of a word such as "@name": as a
// wikilink when the word cannot express it.
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

// Relative returns the path of to as seen from the document at from.
func Relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	a = a[:len(a)-1] // its directory
	for len(a) > 0 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)) + strings.Join(b, "/")
}

// encode writes a path as the link's syntax needs it: percent-encoded in
// Markdown, unless it was written in angle brackets.
func encode(t doc.Target, p string) string {
	if t.Kind != doc.MarkLink || t.Raw == t.Name && strings.ContainsAny(t.Raw, " ") {
		return p
	}
	return (&url.URL{Path: p}).EscapedPath()
}
