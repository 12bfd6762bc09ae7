package render

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/ziptest"
)

var update = flag.Bool("update", false, "write lexers.zip")

// The program has the files in lexers, compressed.
func TestLexerFiles(t *testing.T) {
	t.Parallel()
	ziptest.Check(t, "lexers.zip", "lexers", ".xml", *update)
}

// Code that was coloured is shown again as it was, in its language and in any other, and the bytes
// kept are bounded.
func TestColouredCodeIsKept(t *testing.T) {
	t.Parallel()
	text := func(fences ...string) string {
		var b strings.Builder
		for _, language := range fences {
			fmt.Fprintf(&b, "```%s\nif x: # return <i>\n```\n\n", language)
		}
		return b.String()
	}
	var kept Wholes
	shown := func(w *Wholes, text string) string {
		return Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(text)}, Wholes: w}).HTML
	}
	for range 2 {
		for _, text := range []string{text("python"), text("go"), text("python", "go", "bash", "python"), text("")} {
			if got, want := shown(&kept, text), shown(nil, text); got != want {
				t.Errorf("%s is %s, want %s", text, got, want)
			}
		}
	}
	of := code{"python", "if x: # return <i>\n"}
	if html, ok := kept.colours(of); !ok || !strings.Contains(html, `<span class="c1"># return &lt;i&gt;</span>`) {
		t.Errorf("kept is %q", html)
	}
	large := strings.Repeat("x", maxColoured/10)
	for i := range 100 {
		kept.keep(code{"python", fmt.Sprint(i)}, large)
		if _, ok := kept.colours(of); !ok {
			t.Fatalf("what is shown again was dropped after %d others", i)
		}
		bytes := 0
		for _, all := range []map[code]string{kept.recent, kept.before} {
			for of, html := range all {
				bytes += len(of.text) + len(html)
			}
		}
		if bytes > maxColoured+2*len(large) {
			t.Fatalf("%d bytes are kept", bytes)
		}
	}
	if _, ok := kept.colours(code{"python", "0"}); ok {
		t.Error("the first is kept still")
	}
}

// Of a page with much code, only some is coloured at first: the first block, further ones up to a
// number of bytes, and what was coloured before. The text is always there.
func TestColoursAtFirst(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5 {
		fmt.Fprintf(&b, "```go\nfunc f%d() { return }\n```\n\nText.\n\n", i)
	}
	const block = len("func f0() { return }\n")
	var kept Wholes
	shown := func(limit int) Result {
		return Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(b.String())}, Wholes: &kept, Colours: limit})
	}
	for _, tt := range []struct{ limit, plain int }{{2*block + 1, 3}, {2*block + 1, 1}, {1, 0}, {1, 0}} {
		got := shown(tt.limit)
		if plain := strings.Count(got.HTML, "<code>func f"); got.Plain != tt.plain || plain != tt.plain {
			t.Errorf("of %d bytes %d blocks have no colours and %d are reported, want %d", tt.limit, plain, got.Plain, tt.plain)
		}
	}
	kept = Wholes{}
	if got := shown(1); got.Plain != 4 {
		t.Errorf("%d blocks have no colours, want 4", got.Plain)
	}
	if got, want := shown(0).HTML, Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(b.String())}}).HTML; got != want {
		t.Errorf("without a limit it is %s, want %s", got, want)
	}
}

// Code is shown as it is written, whichever text it is; what looks like it is not taken for it.
func TestTextOfCode(t *testing.T) {
	t.Parallel()
	text := "```python\n1\n```\n\n```mermaid\n0\n```\n\n    1</code></pre><script>alert(1)</script>\r\n\n" +
		"```python\nx = \"<span class=\\\"k\\\">\" # \u202e </span>\n```\n\n<pre class=\"chroma\" tabindex=\"0\"><code>0</code></pre>\n\n" +
		"<div>\n<pre title=\"chroma\" dir=\"ltr\"><code>0</code></pre>\n\n```\n2\n```\n"
	got := Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(text)}}).HTML
	for _, want := range []string{
		`<pre class="chroma" tabindex="0"><code><span class="mi">1</span>` + "\n</code></pre>",
		`<pre class="chroma mermaid" tabindex="0"><code>0` + "\n</code></pre>",
		`<pre class="chroma" tabindex="0"><code>1&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;` + "\n</code></pre>",
		`&lt;span class=`, `U+202E`, "&lt;/span&gt;",
		`<pre><code>0</code></pre>`, `<pre title="chroma" dir="ltr"><code>0</code></pre>`,
		`<pre class="chroma" tabindex="0"><code>2` + "\n</code></pre>\n</div>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s has no %s", got, want)
		}
	}
	for _, unended := range []string{"<p><b>Example:", "<p><code>x", "<p><a href=\"https://example.org\">x", strings.Repeat("<div>", 300)} {
		got := Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(unended + "\n\n```\nthe code\n```\n")}}).HTML
		if !strings.Contains(got, "the code\n") {
			t.Errorf("after %.40s the code is missing: %s", unended, got)
		}
	}
	for _, other := range []string{
		`<span class="k"><b>x</b></span>` + codeEnd, `<span class="page">x</span>` + codeEnd, `<span class="k" title="">x</span>` + codeEnd, `<span class="k">x`,
		`x`, `<span class="k">x</span></code></div>`, `x > y` + codeEnd,
	} {
		if n := codeLength(other); n >= 0 {
			t.Errorf("%s is taken for code of %d bytes", other, n)
		}
	}
}

// A language is known by its name and the endings of its files, in any case.
func TestNamesOfLanguages(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"Go": "Go", "golang": "Go", "C++": "C++", "cpp": "C++", "hpp": "C++", "C": "C", "h": "C", "PY": "Python", "makefile": "Makefile",
		"yml": "YAML", "php": "PHP", "ini": "INI",
	} {
		language := strings.ToLower(written)
		if other := otherNames[language]; other != "" {
			language = other
		}
		if l := lexers()[language]; l == nil || l.Config().Name != want {
			t.Errorf("%s is %v, want %s", written, l, want)
		}
	}
	for _, none := range []string{"output", "", "*"} {
		if l := lexers()[none]; l != nil {
			t.Errorf("%q is %v", none, l)
		}
	}
}
