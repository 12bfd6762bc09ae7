package kb

import "strings"

// Filing derives properties that pages do not set themselves: the type from the
// directory, the wing from the slug, the room from the first section; and the pages that links
// by other names lead to. It is
// text with one rule per line, so that it can be compared and stored with the
// rows derived by it; the first matching rule applies. The empty Filing derives
// nothing.
type Filing string

// The prefixes of the lines. A type line continues with the directory, with its
// slash, and the type, an alias line with both names, separated by tabs; the others are complete.
const (
	filesType  = "type\t"
	filesAlias = "alias\t"
	filesWing  = "wing"
	filesRoom  = "room"
)

// TypeIn returns the filing with one rule more: pages below a directory are of a type.
func (f Filing) TypeIn(directory, kind string) Filing {
	return f + Filing(filesType+directory+"/\t"+kind+"\n")
}

// WithWings returns the filing that also takes the wing of a page from its slug.
func (f Filing) WithWings() Filing { return f + filesWing + "\n" }

// WithRooms returns the filing that also takes the room of a page from its first
// section.
func (f Filing) WithRooms() Filing { return f + filesRoom + "\n" }

// WithAlias returns the filing with one rule more: a slug means another one. A * at the end of
// both stands for the same rest.
func (f Filing) WithAlias(from, to string) Filing {
	return f + Filing(filesAlias+from+"\t"+to+"\n")
}

// Unaliased returns the slug that another one means, and false where no rule matches. As in
// links, names with the same key are the same.
func (f Filing) Unaliased(slug string) (string, bool) {
	for line := range strings.Lines(string(f)) {
		rule, ok := strings.CutPrefix(line, filesAlias)
		if !ok {
			continue
		}
		from, to, _ := strings.Cut(strings.TrimSuffix(rule, "\n"), "\t")
		if means, ok := Unaliased(from, to, spelled(slug, from)); ok {
			return means, true
		}
	}
	return "", false
}

// Aliases returns the slugs that mean another one by the rules.
func (f Filing) Aliases(slug string) (out []string) {
	for line := range strings.Lines(string(f)) {
		if rule, ok := strings.CutPrefix(line, filesAlias); ok {
			from, to, _ := strings.Cut(strings.TrimSuffix(rule, "\n"), "\t")
			if alias, ok := Unaliased(to, from, spelled(slug, to)); ok {
				out = append(out, alias)
			}
		}
	}
	return out
}

// spelled returns a slug with its parts written as in a rule that names them.
func spelled(slug, rule string) string {
	parts := strings.Split(slug, "/")
	for i, part := range strings.Split(strings.TrimSuffix(rule, "*"), "/") {
		if i < len(parts) && part != "" && NameKey(parts[i]) == NameKey(part) {
			parts[i] = part
		}
	}
	return strings.Join(parts, "/")
}

// Unaliased returns the slug that another one means by the alias from, which leads to another
// slug. A * at the end of both stands for the same rest.
func Unaliased(from, to, slug string) (string, bool) {
	before, any := strings.CutSuffix(from, "*")
	if !any {
		return to, slug == from
	}
	rest, ok := strings.CutPrefix(slug, before)
	return strings.TrimSuffix(to, "*") + rest, ok && rest != ""
}

// Type returns the type of a document at a path, "" when no rule matches.
func (f Filing) Type(path string) string {
	for line := range strings.Lines(string(f)) {
		rule, ok := strings.CutPrefix(line, filesType)
		if !ok {
			continue
		}
		directory, kind, _ := strings.Cut(strings.TrimSuffix(rule, "\n"), "\t")
		if len(path) > len(directory) && strings.HasPrefix(path, directory) {
			return kind
		}
	}
	return ""
}

// Wing returns the wing of a page by its slug, "" when no rule matches. A part
// of a document is in the document's wing.
func (f Filing) Wing(slug string) string {
	if !f.has(filesWing) {
		return ""
	}
	slug, _, _ = strings.Cut(slug, "#")
	return slug[strings.LastIndexByte(slug, '/')+1:]
}

// Rooms reports whether the first section of a page is its room.
func (f Filing) Rooms() bool { return f.has(filesRoom) }

func (f Filing) has(rule string) bool {
	for line := range strings.Lines(string(f)) {
		if strings.TrimSuffix(line, "\n") == rule {
			return true
		}
	}
	return false
}
