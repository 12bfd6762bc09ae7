package snippet

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// marked returns the text with its matches in brackets.
func marked(s Snippet) string {
	var b strings.Builder
	at := 0
	for _, m := range s.Matches {
		b.WriteString(s.Text[at:m.Start] + "[" + s.Text[m.Start:m.End] + "]")
		at = m.End
	}
	return b.String() + s.Text[at:]
}

func matcher(q string) *Matcher { return NewMatcher(query.Parse(q, time.Time{}).Root) }

func TestMake(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Nothing to see here at all.\n", 40)
	for _, c := range []struct {
		name, document, query, want string
		limit, from, to             int
	}{
		{"all of a short one", "One two three.\n", "two", "One [two] three.", 200, 1, 1},
		{"inflections", "He was running; they ran, runs.", "run", "He was [running]; they ran, [runs].", 200, 1, 1},
		{"a phrase is exact", "index page, indexed page", `"index page"`, "[index page], indexed page", 200, 1, 1},
		{"parts of a name", "use node.js or node js, not node or js", "node.js", "use [node.js] or [node js], not node or js", 200, 1, 1},
		{"signs", "C++ is not C", "c++", "[C++] is not C", 200, 1, 1},
		{"prefix", "search engines", "sea*", "[search] engines", 200, 1, 1},
		{"bigrams join", "これは日本語です", "日本語", "これは[日本語]です", 200, 1, 1},
		{"one character", "これは日本語です", "日", "これは[日本]語です", 200, 1, 1},
		{"folding", "Ein CAFÉ in Łódź", "cafe lodz", "Ein [CAFÉ] in [Łódź]", 200, 1, 1},
		{"negated words are not shown", "good bad", "good -bad", "[good] bad", 200, 1, 1},
		{"lines join", "first line\r\n\r\n  second\tline\x00\x1b[0m", "second", "first line [second] line[0m", 200, 1, 3},
		{"frontmatter", "---\ntitle: apple\n---\n\nAn apple.\n", "apple", "An [apple].", 200, 5, 5},
		{"frontmatter that never ends", "---\ntitle: apple\n", "apple", "--- title: [apple]", 200, 1, 2},
		{"org", ":PROPERTIES:\n:ID: apple\n:END:\n#+title: apple\n\nAn apple.\n", "apple", "An [apple].", 200, 6, 6},
		{"no match", "---\na: b\n---\n\nThe beginning of it.\nMore.", "zebra", "The beginning of it. More.", 200, 5, 6},
		{"no query", "Some text", "", "Some text", 200, 1, 1},
		{"empty", "", "x", "", 200, 1, 1},
		{"only frontmatter", "---\na: b\n---\n", "a", "", 200, 4, 4},
		{
			"where most words are", "apple\n" + filler + "apple and pear\n" + filler, "apple pear",
			"[apple] and [pear] Nothing to see here at all.", 50, 42, 43,
		},
		{
			"cut at words", "A long sentence that says very much before it comes to the apple and then goes on for a while.", "apple",
			"…comes to the [apple] and then goes on for a…", 50, 1, 1,
		},
	} {
		s := Make([]byte(c.document), matcher(c.query), c.limit)
		if got := marked(s); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if s.From != c.from || s.To != c.to {
			t.Errorf("%s: lines %d to %d, want %d to %d", c.name, s.From, s.To, c.from, c.to)
		}
	}
}

func TestLineOfTheFirstMatch(t *testing.T) {
	t.Parallel()
	s := Make([]byte("# One\n\ntwo\nthree apples\nfour\n"), matcher("apple"), 200)
	if s.From != 1 || s.To != 5 || s.Line != 4 {
		t.Errorf("lines %d to %d, match on %d", s.From, s.To, s.Line)
	}
}

func TestMatchesBeyondTheFirstChunk(t *testing.T) {
	t.Parallel()
	document := strings.Repeat("plain words on a line\n", 2*chunk/22) + "the needle is here\n"
	s := Make([]byte(document), matcher("needle"), 100)
	if !strings.Contains(marked(s), "the [needle] is here") || s.To != strings.Count(document, "\n") {
		t.Errorf("%q, lines %d to %d", marked(s), s.From, s.To)
	}
}

func FuzzMake(f *testing.F) {
	f.Add("---\na: b\n---\nSome text\n", "text some", 40)
	f.Add(strings.Repeat("日本語 é\u0301 👍🏽 ", 30), "日 本語", 41)
	f.Add("a\xff\xfeb \x00", "a*", 0)
	f.Add(strings.Repeat("x", 300)+" needle "+strings.Repeat("é", 300), "needle x*", 60)
	f.Fuzz(func(t *testing.T, document, text string, limit int) {
		limit = limit%500 + 40
		s := Make([]byte(document), matcher(text), limit)
		if len(s.Text) > max(limit, 40) || !utf8.ValidString(s.Text) {
			t.Fatalf("%q: %d bytes, limit %d", s.Text, len(s.Text), limit)
		}
		if strings.ContainsFunc(s.Text, unicode.IsControl) {
			t.Fatalf("%q has control characters", s.Text)
		}
		if s.From < 1 || s.To < s.From || s.To > 1+strings.Count(document, "\n") {
			t.Fatalf("lines %d to %d", s.From, s.To)
		}
		last := 0
		for _, m := range s.Matches {
			if m.Start < last || m.End <= m.Start || m.End > len(s.Text) || !utf8.ValidString(s.Text[m.Start:m.End]) {
				t.Fatalf("matches %v in %q", s.Matches, s.Text)
			}
			last = m.End
		}
	})
}

func BenchmarkMake10MB(b *testing.B) {
	document := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog and runs.\n", 10<<20/54) + "needle\n")
	m := matcher("needle haystack running")
	b.SetBytes(int64(len(document)))
	for range b.N {
		Make(document, m, 240)
	}
}

// A term of the text meets the words that take it, not all of the query.
func TestWorkIsThatOfTheWordsFound(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 400 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	text := []byte(strings.Repeat("Nothing of this but word7 stands here. ", 500))
	few, many := matcher("word7"), matcher(strings.Join(words, " OR "))
	Make(text, few, 200)
	Make(text, many, 200)
	if few.steps == 0 || many.steps > 2*few.steps {
		t.Errorf("%d steps for one word and %d for 400", few.steps, many.steps)
	}
	again := matcher(strings.Repeat("word7 OR ", 400) + "word7")
	if Make(text, again, 200); again.steps != few.steps {
		t.Errorf("%d steps for one word and %d for it 400 times", few.steps, again.steps)
	}
}

// Words that the matcher leaves out by their first letters have no stem that it looks for.
func TestOpeningsOfStems(t *testing.T) {
	t.Parallel()
	words := []string{"dying", "lying", "oed", "eing", "aing", "yes", "ying", "skies", "oyed", "dyed", "by", "cry", "cries", "tied", "ties", "buyer", "eyes", "aged", "être", "x"}
	for c := 'a'; c <= 'z'; c++ {
		for d := 'a'; d <= 'z'; d++ {
			for _, suffix := range []string{"", "s", "es", "ed", "er", "ing", "ying", "ies", "eed", "ingly", "ational", "ization", "ly", "le", "y", "ll"} {
				words = append(words, string(c)+string(d)+suffix, string(c)+suffix)
			}
		}
	}
	for _, word := range words {
		stem := string(analysis.Stem(nil, []byte(word)))
		var o openings
		if o.add(stem); !o.has([]byte(word)) {
			t.Errorf("the opening of %q is not that of %q", stem, word)
		}
	}
	m := NewMatcher(query.Parse("die ox", time.Time{}).Root)
	if got := m.Find("It was dying by an OX, axed."); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}
