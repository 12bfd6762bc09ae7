package webui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A page shows the line of each backlink, with the text around it.
func TestSentencesOfBacklinks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("mill", "Mill", "# Mill\n\nIt turns.\n")
	b.put("engine", "Engine", "# Engine\n\n- [ ] The store feeds the [[mill]] by night.\n\n> - [x] ## Of the [[mill]]\n\n"+strings.Repeat("far ", 100)+"[[mill]]"+strings.Repeat(" away", 100)+"\n")
	b.signIn()
	page := b.do("GET", "/page/memory:mill").Body.String()
	for _, want := range []string{"<p><span>The store feeds the mill by night.</span></p>", "<p><span>Of the mill</span></p>", "…", "far far mill away away"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, strings.Repeat("far ", 40)) {
		t.Error("a backlink quotes all of a long line")
	}
	if preview := b.do("GET", "/delete?ref=memory:mill").Body.String(); !strings.Contains(preview, "The store feeds the mill by night.") {
		t.Error("the preview of a deletion lacks the lines that link to the page")
	}
}

// A line with several links to a page is quoted once; equal lines are quoted each.
func TestLinesOfBacklinks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("mill", "Mill", "# Mill\n\nIt turns.\n")
	b.put("engine", "Engine", "# Engine\n\nThe [[mill]] is in the [[mill|the Mill]] again.\n\nTwice [[mill]].\n\nTwice [[mill]].\n")
	b.signIn()
	page := b.do("GET", "/page/memory:mill").Body.String()
	for quote, want := range map[string]int{"is in the": 1, "Twice mill.": 2} {
		if n := strings.Count(page, quote); n != want {
			t.Errorf("%q is quoted %d times, want %d", quote, n, want)
		}
	}
}

// A heading that repeats the title is not shown twice; any other heading is.
func TestHeadingThatRepeatsTheTitle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for name, text := range map[string]string{
		"same":  "# The title\n\nText.\n",
		"other": "# Another heading\n\nText.\n",
		"later": "Text.\n\n# The title\n",
	} {
		b.put(name, "The title", "---\ntitle: The title\n---\n"+text)
	}
	b.signIn()
	for name, want := range map[string]bool{"same": true, "other": false, "later": false} {
		if page := b.do("GET", "/page/memory:"+name).Body.String(); strings.Contains(page, `"doc titled"`) != want {
			t.Errorf("%s: the heading is hidden: %v, want %v", name, !want, want)
		}
	}
}

// The columns of a table are aligned as it says.
func TestAlignmentOfTables(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("table", "Table", "| what | much |\n|:---:|---:|\n| a | 12 |\n\n<table><tr><td align=\"justify\">x</td></tr></table>\n")
	b.signIn()
	page := b.do("GET", "/page/memory:table").Body.String()
	for _, want := range []string{`<th align="right">much</th>`, `<td align="center">a</td>`, `<td align="right">12</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "justify") {
		t.Error("an alignment of a document's own HTML has any value")
	}
}

// A write of many pages is one row of the activity.
func TestActivityOfAWriteOfManyPages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 12 {
		b.put(fmt.Sprintf("p%02d", i), fmt.Sprintf("Page %d", i), "See [[hub]].\n")
	}
	b.put("hub", "Hub", "# Hub\n")
	b.signIn()
	b.post("/move", "ref", "memory:hub", "to", "center", "version", "1", "page", "")
	page := b.do("GET", "/activity").Body.String()
	if !strings.Contains(page, "<summary>13 pages") {
		t.Error("the move of a page with 12 links to it is not one row")
	}
}

// Health shows the words of open questions.
func TestWordsOfOpenQuestions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("mill", "Mill", "It turns.\n")
	s, err := b.Lazy().Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gap.Log(t.Context(), s, gap.LogRequest{Question: "Who paid for the brass?"}); err != nil {
		t.Fatal(err)
	}
	b.signIn()
	if page := b.do("GET", "/health").Body.String(); !strings.Contains(page, "Who paid for the brass?") || !strings.Contains(page, "asked 1 time") {
		t.Error("the screen lacks the words of the question")
	}
}

// The card of a session names the folders of its pages where it has no project.
func TestFoldersOfSessions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, ref := range []string{"top", "mill/a", "mill/b", "loom/a", "dye/a", "yarn/a"} {
		b.byAgent(ref, "Text.\n")
	}
	b.signIn()
	if page := b.do("GET", "/today").Body.String(); !strings.Contains(page, "<span>in dye/, loom/, mill/ and 1 more</span>") {
		t.Error("the card lacks the folders of its pages")
	}
}

// A page with much code comes without some of its colours, which a script gets afterwards.
func TestColoursOfMuchCode(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "a block of code has a limit of time, and it takes many times as long")
	b := newBed(t)
	code := ""
	for i := range 3 {
		code += "```go\n" + strings.Repeat(fmt.Sprintf("return %d\n", i), 600) + "```\n\n"
	}
	b.put("much", "Much", code)
	b.put("old", "Old", strings.ReplaceAll(code, "return", "break"))
	b.put("past", "Past", strings.ReplaceAll(code, "return", "goto"))
	b.put("little", "Little", "```go\nreturn 1\n```\n")
	b.signIn()
	first := b.do("GET", "/page/memory:much").Body.String()
	if !strings.Contains(first, ` data-plain=""`) || strings.Count(first, "<code>return 1\n") != 1 {
		t.Error("all code is coloured at first, or the page does not say that some is not")
	}
	for name, page := range map[string]string{
		"little code":      b.do("GET", "/page/memory:little").Body.String(),
		"read by a script": b.do("GET", "/page/memory:much", "Cairn-Suggests", "1").Body.String(),
		"shown after that": b.do("GET", "/page/memory:much").Body.String(),
		"a version":        b.do("GET", "/page/memory:old?version=1").Body.String(),
		"a past day":       b.do("GET", "/at/"+time.Now().UTC().Format(time.DateOnly)+"/page/memory:past").Body.String(),
	} {
		if strings.Contains(page, "data-plain") || !strings.Contains(page, `<pre class="chroma"`) || strings.Contains(page, "<code>return") {
			t.Errorf("%s is not coloured", name)
		}
	}
}

// Many properties are folded; a page of one version has nothing to compare.
func TestLongPropertiesAndOneVersion(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("short", "Short", "---\nborn: 1815\n---\n# Short\n\nText.\n")
	b.put("long", "Long", "---\nborn: 1815\nkeywords: ["+strings.Repeat("vector, ", 200)+"end]\n---\n# Long\n\nText.\n")
	b.signIn()
	const folded = `<details class="props"><summary>Properties · 2</summary>`
	if page := b.do("GET", "/page/memory:short").Body.String(); strings.Contains(page, "<summary>Properties") || !strings.Contains(page, `<table class="props">`) {
		t.Error("few properties are folded, or missing")
	}
	if page := b.do("GET", "/page/memory:long").Body.String(); !strings.Contains(page, folded) || !strings.Contains(page, "vector, end") {
		t.Error("many properties are not folded, or missing")
	}
	const compare = ">Compare</button>"
	if page := b.do("GET", "/history/memory:long").Body.String(); strings.Contains(page, compare) {
		t.Error("a page of one version can be compared")
	}
	b.put("long", "Long", "# Long\n\nOther text.\n")
	if page := b.do("GET", "/history/memory:long").Body.String(); !strings.Contains(page, compare) {
		t.Error("a page of two versions cannot be compared")
	}
}

// Of a page that is too large to be rendered, a part is shown as it is written, without its
// credentials, and no form takes it.
func TestPagesThatAreNotRendered(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "pages of 8 MiB, one request after the other")
	const token = "ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU"
	b := newBed(t)
	b.put("lines", "Lines", strings.Repeat("A *line* of text.\n", (8<<20)/18+1)+"The last one, with token "+token+"\n", "github-token")
	b.put("line", "Line", strings.Repeat("words ", (8<<20)/6+1)+"\n")
	b.signIn()
	for path, wants := range map[string][]string{
		"/page/memory:lines":             {"A *line* of text.", "Lines 1 to ", "The next part"},
		"/page/memory:lines?from=20000":  {"A *line* of text.", "The part before", "The next part"},
		"/page/memory:lines?from=900000": {"The last one, with token xxxx", "The part before"},
		"/page/memory:line?from=6":       {"words words", "The beginning of line 6 is shown"},
		"/blame/memory:line?from=6":      {"words words", "The beginning of line 6 is shown"},
		"/blame/memory:lines?from=20000": {"A *line* of text.", "The part before", "The next part"},
		"/move?ref=memory:lines&to=x":    {"Nothing has changed yet"},
		"/edit/memory:lines":             {"than the 8 MB that a form may have"},
	} {
		shown := b.do("GET", path).Body.String()
		if len(shown) > 1<<20 || strings.Contains(shown, token) {
			t.Errorf("%s has %d bytes, or a credential", path, len(shown))
		}
		for _, want := range wants {
			if !strings.Contains(shown, want) {
				t.Errorf("%s lacks %q: %.3000s", path, want, shown)
			}
		}
	}
}
