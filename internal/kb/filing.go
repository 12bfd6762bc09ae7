package kb

import "strings"

// Filing says what pages are by where they stand and how they are built, where they
// do not say it themselves: the type by the directory, the wing by the slug, the room
// by the first section. It is text, so that it can be compared and kept with what was
// derived by it: a rule a line, the first that fits counts. The empty one files
// nothing.
type Filing string

// The beginnings of the lines. A type has the directory, with its slash, and the type
// after tabs; the others stand alone.
const (
	filesType = "type\t"
	filesWing = "wing"
	filesRoom = "room"
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

// Type returns the type of a document at a path, "" when no rule says one.
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

// Wing returns the wing of a page by its slug, "" when no rule says one. A part of a
// document is in the document's.
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
