package link

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// CrossSpace splits a link into the name of a space and a page in it, as in [[work:Plan]]
// and [[work/Plan]]; the page's name is the end of the link's. It does not know whether the
// space exists: "work" may also be a directory or the start of a title, which take
// precedence. It returns false for relative paths and for citations.
func CrossSpace(ref Ref) (space string, page Ref, ok bool) {
	if isPath(ref.Kind) || isSite(ref.Kind) || ref.Kind == string(doc.OrgCite) {
		return "", Ref{}, false
	}
	at := strings.IndexAny(ref.Name, ":/")
	if at < 0 {
		return "", Ref{}, false
	}
	space, name := ref.Name[:at], strings.TrimLeft(ref.Name[at+1:], " ")
	if strings.TrimSpace(space) == "" || strings.Trim(name, "/ ") == "" {
		return "", Ref{}, false
	}
	return space, Ref{Kind: ref.Kind, Name: name}, true
}

// Unaliased returns the link with the name that of returns for its slug, relative to the
// root of its space; false if of returns none. Links by id, citation or block have no slug.
func Unaliased(ref Ref, of func(slug string) (string, bool)) (Ref, bool) {
	name := strings.TrimPrefix(ref.Name, "/")
	switch {
	case isKeyed(ref.Kind) || isSite(ref.Kind):
		return Ref{}, false
	case isPath(ref.Kind):
		var inside bool
		if name, inside = Join(ref.FromPath, ref.Name); !inside {
			return Ref{}, false
		}
	}
	slug := trimNoteExt(name)
	to, ok := of(slug)
	if ok && path.Ext(to) == "" {
		to += name[len(slug):]
	}
	if isPath(ref.Kind) {
		to = "/" + to
	}
	ref.Name = to
	return ref, ok
}

// KeysAbroad returns the keys of possible links from other spaces to pages of a space that
// have one of keys: [[work/Plan]] has the page's own key, and the key of [[work:Plan]]
// starts with the name of the space.
func KeysAbroad(space string, keys []string) []string {
	out := slices.Clone(keys)
	for _, key := range keys {
		out = append(out, kb.NameKey(space)+"-"+key)
	}
	return out
}

// Space returns the space with a name, ignoring case, or with the name as its id; else the
// space that would get its name if a space of that name were added, as "My Research" becomes
// my-research.
func Space(all []kb.Space, name string) (kb.Space, bool) {
	key := spaceKey(name)
	if id, ok := kb.ParseID(name); ok {
		if i := slices.IndexFunc(all, func(s kb.Space) bool { return s.ID == id }); i >= 0 {
			return all[i], true
		}
	}
	for _, same := range []func(string) bool{
		func(other string) bool { return other == name },
		func(other string) bool { return strings.EqualFold(other, name) },
		func(other string) bool { return key != "" && spaceKey(other) == key },
	} {
		for _, s := range all {
			if same(s.Name) {
				return s, true
			}
		}
	}
	return kb.Space{}, false
}

// spaceKey converts a name like the name of a new space; the place of NAME@PLACE is kept
// separate.
func spaceKey(name string) string {
	name, at, placed := strings.Cut(norm.NFC.String(name), "@")
	if name = doc.Slug(name); placed {
		name += "@" + doc.Slug(at)
	}
	return name
}
