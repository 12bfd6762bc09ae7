package doc

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Syntax holds the conventions of notes that differ between programs. The zero value is that
// of Obsidian.
type Syntax struct {
	LabelFirst bool   // [[label|page]], not [[page|label]]
	Vaults     string // prefix of links with the directory of their page before a slash; "" for no such links

	// A page is an outline of blocks: these have ids in lines "id:: UUID", "((UUID))" links
	// to one, "{{embed …}}" shows a block or page, and a block is a relation only if its
	// type is one word in lower case, or in the section Relations.
	Blocks bool

	// A page has the name of its file, in which "___" and "%2F" are slashes, or its property
	// title, but never its first heading; links use that name. Day pages are named by the
	// moment.js format Days.
	Named bool
	Days  string

	Mentions string // "@name" links to the page with this prefix and name; if "", it is text
	TagLinks bool   // "#topic" links to the page of its name
	Topics   string // with Named: the prefix of the page's name
	Dotted   bool   // a tag's name may contain dots

	IDs    bool     // the id in the frontmatter is the page's id and a name of it, even if it is not a UUID
	ByFile bool     // links name a page by its file, never by its title
	Matter []string // required keys in the frontmatter of a new page, dates in milliseconds

	// A page is the transcript of a session, with a heading for each turn. Links, facts,
	// tags and tasks in its text do not belong to the page.
	Turns bool

	// Links are resolved as in Obsidian: a Markdown link may also be a path from the root of
	// the vault, or the end of one. NewLinks is the form of the paths of new links.
	Vault     bool
	NewLinks  PathForm
	MarkLinks bool // new links are written as [text](path.md)

	// DayNotes is the path of the note of a day without its extension, as a moment.js
	// format; "" if unknown, so that only file names determine days.
	DayNotes string

	// Pages are in one folder, with Level in their file names instead of directories; "" for
	// none.
	Level string
}

// PathForm is the form of the path in a link.
type PathForm string

// The forms of Obsidian's setting newLinkFormat.
const (
	ShortestPath PathForm = "shortest" // the file's name, or the path from the root if several files have the name
	RelativePath PathForm = "relative" // relative to the linking document
	RootPath     PathForm = "absolute" // from the root, without a slash before it
)

// Title returns the title of a new page without one, from its file name.
func (s Syntax) Title(name string) string {
	if len(s.Matter) == 0 || s.Level == "" {
		return name
	}
	words := strings.FieldsFunc(name[strings.LastIndex(name, s.Level)+1:], func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return strings.Join(words, " ")
}

// syntaxes are the options of each syntax.
var syntaxes = map[kb.Syntax]Syntax{
	"dendron": {
		LabelFirst: true, Vaults: "dendron://", Mentions: "user.", TagLinks: true, Topics: "tags.", Dotted: true,
		IDs: true, ByFile: true, Matter: []string{"id", "title", "desc", "updated", "created"}, Level: ".",
	},
	"logseq":      {Blocks: true, Named: true, Days: "MMM Do, YYYY", TagLinks: true, Level: "___"},
	kb.Transcript: {Turns: true},
}

// SyntaxOf returns the options of a syntax.
func SyntaxOf(s kb.Syntax) Syntax {
	name, option := s.Parts()
	if name == "obsidian" {
		form, rest, _ := strings.Cut(option, " ")
		links, notes, _ := strings.Cut(rest, " ")
		return Syntax{ByFile: true, Vault: true, NewLinks: PathForm(form), MarkLinks: links == "markdown", DayNotes: notes}
	}
	out := syntaxes[name]
	if option != "" {
		out.Days = FromJava(option)
	}
	return out
}

// PageName returns the name of a page from its file name.
func (s Syntax) PageName(path string) string {
	name := TitleFromPath(path)
	if !s.Named || !IsDayName(name) {
		return name
	}
	day, err := time.Parse(time.DateOnly, NameDay(name))
	if err != nil {
		return name
	}
	return FormatTime(s.Days, day)
}
