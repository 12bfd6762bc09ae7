package doc

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Slug returns the permalink form of a title: lower case, each run of characters other than
// letters, marks or digits as one hyphen, none at the ends (specs/markdown-graph.md section
// 14.1). Letters of every script stay.
func Slug(title string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.ToLower(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			hyphen = b.Len() > 0
			continue
		}
		if hyphen {
			b.WriteByte('-')
			hyphen = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// FoldName returns the form in which equivalent spellings of a page name or relation type
// are equal: lower case, with blanks, hyphens and underscores as one blank. Unlike a slug it
// distinguishes "C" from "C++".
func FoldName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), " ")
}

// NormalizeTag returns the indexed form of a tag: without '#' and surrounding blanks.
func NormalizeTag(tag string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(tag), "#"))
}

// HasTag reports whether a normalised tag is one of a page's tags, in any case.
func HasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) })
}

// Renamed returns the new name of a tag; other tags stay unchanged. The comparison ignores
// case, as in other programs.
func (e RenameTag) Renamed(tag string) string {
	old, name := NormalizeTag(e.Old), NormalizeTag(e.New)
	if !e.Has(tag) {
		return tag
	}
	return name + tag[len(old):]
}

// Has reports whether a tag is the one to be renamed, or nested in it.
func (e RenameTag) Has(tag string) bool {
	old := NormalizeTag(e.Old)
	return strings.EqualFold(tag, old) || len(tag) > len(old) && tag[len(old)] == '/' && strings.EqualFold(tag[:len(old)], old)
}

// Check returns an error for a renaming without names.
func (e RenameTag) Check() error {
	if NormalizeTag(e.Old) == "" || NormalizeTag(e.New) == "" {
		return kb.Errorf(kb.Usage, "a tag is renamed from a name to a name, and one of them is empty")
	}
	return OneLine("a tag", NormalizeTag(e.New))
}

// SplitTags parses a tag list that is a single string: separated by commas if it has one,
// else by blanks.
func SplitTags(s string) []string {
	if strings.Contains(s, ",") {
		return strings.Split(s, ",")
	}
	return strings.Fields(s)
}

// Tags returns the normalised tags of raw, in order, without empty ones and
// duplicates.
func Tags(raw []string) []string {
	return unique(raw, NormalizeTag)
}

// Names returns raw trimmed, in order, without empty ones and duplicates.
func Names(raw []string) []string {
	return unique(raw, strings.TrimSpace)
}

func unique(raw []string, normal func(string) string) []string {
	if len(raw) == 0 {
		return nil
	}
	var out []string
	seen := make(map[string]bool, len(raw))
	for _, r := range raw {
		if n := normal(r); n != "" && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// TitleFromPath returns the file name without its extension. Logseq's encoding of file names
// is decoded: "Ada%20Lovelace" is Ada Lovelace, and "work___web" the page work/web.
func TitleFromPath(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if strings.IndexByte(name, '%') >= 0 {
		if plain, err := url.PathUnescape(name); err == nil && utf8.ValidString(plain) && strings.IndexFunc(plain, unicode.IsControl) < 0 {
			name = plain
		}
	}
	if strings.Contains(strings.Trim(name, "_"), "___") {
		name = strings.ReplaceAll(name, "___", "/")
	}
	return name
}
