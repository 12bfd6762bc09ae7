package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Files, by prefix, with strings that are data rather than text for people.
var dialectData = []string{
	"internal/policy/secrets/",       // rules and known example values
	"internal/search/analysis/",      // stop words
	"internal/search/query/relax.go", // stop words
	"internal/search/language/",      // stop words
	"internal/doc/temporal/",         // words of seven languages
}

type dialectWord struct {
	bad    *regexp.Regexp
	good   string
	count  int // in comments
	places []string
}

type dialectList struct {
	words []*dialectWord
	any   *regexp.Regexp // any of the words: most texts have none
}

// Comments, messages and docs use the words and the sentence shapes of the
// field. The ones that they used before are in testdata/dialect.txt.
func TestTextHasNoDialect(t *testing.T) {
	t.Parallel()
	list := dialectWords(t)
	words := 0
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, g := range f.tree.Comments {
				text := plainComment(g)
				words += len(strings.Fields(text))
				list.each(text, func(w *dialectWord, _ string) {
					w.count++
					w.places = append(w.places, fset.Position(g.Pos()).String())
				})
			}
			if p.support() || remains(f.name, dialectData) {
				continue
			}
			for at, text := range printed(f) {
				list.each(text, func(w *dialectWord, hit string) {
					t.Errorf("%s prints %q: better: %s", fset.Position(at), hit, w.good)
				})
			}
		}
	}
	for _, w := range list.words {
		if limit := 2 * words / 10_000; w.count > limit {
			t.Errorf("comments have %v %d times in %d words (limit %d): better: %s\n\t%s", w.bad, w.count, words, limit, w.good, strings.Join(w.places, "\n\t"))
		}
	}
	for _, page := range textPages(t) {
		text := inlineCode.ReplaceAllString(readFile(t, root+"/"+page), "``")
		list.each(text, func(w *dialectWord, hit string) {
			t.Errorf("%s says %q: better: %s", page, hit, w.good)
		})
	}
}

func TestDialectIsFound(t *testing.T) {
	t.Parallel()
	p := parsed(t, map[string]string{"internal/a/a.go": "package a\n\n// F reads what is\n// there. There is no other.\nfunc F() error { return errors.New(`it stands here`, \"told\", `SELECT what is`) }\n"})
	f := p[0].files[0]
	var found []string
	list, add := dialectWords(t), func(_ *dialectWord, hit string) { found = append(found, hit) }
	list.each(plainComment(f.tree.Comments[0]), add)
	for _, text := range printed(f) {
		list.each(text, add)
	}
	if want := []string{"is there", "what is", "stands"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

func dialectWords(t *testing.T) *dialectList {
	t.Helper()
	var out dialectList
	var all []string
	for line := range strings.Lines(readFile(t, "testdata/dialect.txt")) {
		bad, good, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if ok && !strings.HasPrefix(line, "#") {
			out.words = append(out.words, &dialectWord{bad: regexp.MustCompile("(?i)" + bad), good: good})
			all = append(all, bad)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d words", len(all))
	}
	out.any = regexp.MustCompile("(?i)" + strings.Join(all, "|"))
	return &out
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	blanks     = regexp.MustCompile(`\s+`)
	// fine matches good English, and a line that marks files on disk.
	fine = regexp.MustCompile(`(?i)\bthere (is|are|was|were) no\b|\bwhat is new\b|\bonly what has this line\b`)
)

// each calls found for each place in a text that has one of the words. Line
// breaks do not count.
func (l *dialectList) each(text string, found func(w *dialectWord, hit string)) {
	text = fine.ReplaceAllString(blanks.ReplaceAllString(text, " "), "")
	if !l.any.MatchString(text) {
		return
	}
	for _, w := range l.words {
		for _, hit := range w.bad.FindAllString(text, -1) {
			found(w, hit)
		}
	}
}

// plainComment returns the words of a comment, without directives.
func plainComment(g *ast.CommentGroup) string {
	var lines []string
	for _, c := range g.List {
		if !strings.HasPrefix(c.Text, "//go:") {
			lines = append(lines, strings.Trim(c.Text, "/* "))
		}
	}
	return strings.Join(lines, "\n")
}

// keyword finds the parts of SQL statements: its keywords are in capitals.
var keyword = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|JOIN|ORDER BY)\b`)

// printed calls yield with the strings of a file that people may read: those of
// several words that are not statements of SQL.
func printed(f *file) func(yield func(token.Pos, string) bool) {
	return func(yield func(token.Pos, string) bool) {
		more := true
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if err != nil || n.Kind != token.STRING || !strings.Contains(text, " ") || keyword.MatchString(text) {
					break
				}
				more = more && yield(n.Pos(), text)
			}
			return more
		})
	}
}

func remains(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(name, p) })
}

// textPages returns the files with text for people, as paths within the
// repository.
func textPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	for _, glob := range []string{"docs/*.md", "docs/cli/*.md", "internal/surface/cli/topics/*.txt", "CHANGELOG.md", "changelog/README.md", "changelog/TEMPLATE", "changelog/unreleased/*"} {
		found, err := filepath.Glob(root + "/" + glob)
		if err != nil || len(found) == 0 && !strings.HasPrefix(glob, "change") && !strings.HasPrefix(glob, "CHANGE") {
			t.Fatalf("%s: %v", glob, err)
		}
		for _, name := range found {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, filepath.ToSlash(rel))
		}
	}
	return pages
}
