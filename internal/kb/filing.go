package kb

import "strings"

// Filing derives properties that pages do not set themselves: the type from the
// directory, the wing from the slug, and the room from the first section. It also
// has the aliases that redirect links to other pages. It is text with one rule per
// line, so that it can be compared and stored with the rows derived by it; the
// first matching rule applies. The empty Filing derives nothing.
type Filing string

// Prefixes of the lines. A type line continues with the directory, with its slash,
// and the type; an alias line with both names, separated by tabs. The others are
// complete.
const (
	filesType  = "type\t"
	filesAlias = "alias\t"
	filesWing  = "wing"
	filesRoom  = "room"
)

// TypeIn returns the filing with an added rule: pages below a directory have a
// type.
func (f Filing) TypeIn(directory, kind string) Filing {
	return f + Filing(filesType+directory+"/\t"+kind+"\n")
}

// WithWings returns the filing that also derives the wing of a page from its slug.
func (f Filing) WithWings() Filing { return f + filesWing + "\n" }

// WithRooms returns the filing that also derives the room of a page from its first
// section.
func (f Filing) WithRooms() Filing { return f + filesRoom + "\n" }

// WithAlias returns the filing with an added rule: a slug redirects to another one.
// A * at the end of both matches the same rest.
func (f Filing) WithAlias(from, to string) Filing {
	return f + Filing(filesAlias+from+"\t"+to+"\n")
}

// Unaliased returns the slug that an alias redirects to, and false when no rule
// matches. As in links, names with the same key are equal.
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

// Aliases returns the slugs that the rules redirect to this slug.
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

// spelled returns a slug with the spelling of a rule for the parts that the rule
// names.
func spelled(slug, rule string) string {
	parts := strings.Split(slug, "/")
	for i, part := range strings.Split(strings.TrimSuffix(rule, "*"), "/") {
		if i < len(parts) && part != "" && NameKey(parts[i]) == NameKey(part) {
			parts[i] = part
		}
	}
	return strings.Join(parts, "/")
}

// Unaliased returns the target of a slug by the alias from, which redirects to
// another slug. A * at the end of both matches the same rest.
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
