package doc

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// DenoteScheme is the prefix of links to notes by their Denote identifiers, and of their
// refs.
const DenoteScheme = "denote:"

var denoteID = lazyregexp.New(`^[0-9]{8}T[0-9]{6}`)

// DenoteRef returns the ref of a file by its Denote identifier, from its
// metadata or else from the start of its name.
func DenoteRef(name string, n *Node) (ref string, ok bool) {
	id := denoteID().FindString(path.Base(name))
	if p, has := n.Property("identifier"); has && len(p.Values) == 1 && denoteID().MatchString(p.Values[0]) {
		id = p.Values[0]
	}
	return DenoteScheme + id, id != ""
}

// denoteKeywords matches the keywords in a file name, which may be followed by another part.
var denoteKeywords = lazyregexp.New(`__([^./]+?)(?:==|--|@@|$)`)

// DenoteKeywords returns the keywords in the name of a Denote file: "one" and "two" of
// 20240101T120000--title__one_two.org.
func DenoteKeywords(name string) []string {
	base := path.Base(name)
	id := denoteID().FindString(base)
	if id == "" {
		return nil
	}
	rest, _, _ := strings.Cut(base[len(id):], ".")
	m := denoteKeywords().FindStringSubmatch(rest)
	if m == nil || !slices.Contains([]string{"--", "==", "__", "@@"}, rest[:2]) {
		return nil
	}
	return strings.FieldsFunc(m[1], func(r rune) bool { return r == '_' })
}

// NamedTag returns an error if a tag to be removed is in the name of a Denote file.
func NamedTag(name, tag string) error {
	if !slices.Contains(DenoteKeywords(name), tag) {
		return nil
	}
	return kb.Errorf(kb.Refused, "the tag %s is in the name of the file", tag).
		WithHint("Nothing was changed. Rename the file, as Denote does.")
}
