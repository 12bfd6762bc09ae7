package link

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// CrossSpace splits a link into the name of a space and a page in it, as in
// [[work:Plan]] and [[work/Plan]]; the page's name is the end of the link's. It
// does not know whether the space exists: "work" may also be a directory or the
// beginning of a title, which take precedence. It returns false for relative
// paths and for citations.
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

// Unaliased returns the link by the name that of gives to the slug that it names, seen from the
// root of its space, and false where of gives none. Links by an id, a citation or a block name no slug.
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

// KeysAbroad returns the keys that links of other spaces may have to pages of a space
// that are found by one of keys: that of [[work/Plan]] is the page's own, that of
// [[work:Plan]] has the name of the space in front.
func KeysAbroad(space string, keys []string) []string {
	out := slices.Clone(keys)
	for _, key := range keys {
		out = append(out, kb.NameKey(space)+"-"+key)
	}
	return out
}

// Space returns the space that a name means: the one that is called so, in any
// case, or has it for its id, else the one that would be called so if it were added under that name,
// as "My Research" becomes my-research.
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

// spaceKey is a name as one is made when a space is added; the place of
// NAME@PLACE stays apart.
func spaceKey(name string) string {
	name, at, placed := strings.Cut(norm.NFC.String(name), "@")
	if name = doc.Slug(name); placed {
		name += "@" + doc.Slug(at)
	}
	return name
}
