package render

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// source is a page whose links all lead to a page of their name. It has no limit of time, so
// that a loaded machine shows the same.
func source(name, text string) Source {
	page := func(name, text string) Page {
		return Page{
			Path: name, Text: []byte(text),
			Resolve: func(t doc.Target, _ int) Target {
				if strings.HasPrefix(t.Raw, "no") {
					return Target{State: "unresolved"}
				}
				return Target{Ref: "s:" + t.Raw, Title: t.Raw, State: "resolved"}
			},
			FileAt: func(name string) string { return path.Join("/file/s", name) },
		}
	}
	return Source{
		endless: true, Page: page(name, text), Ref: "s:page",
		Embed: func(ref string) (Page, bool) {
			return page("embedded.md", "Text of [[Deep]] and ![["+strings.TrimPrefix(ref, "s:")+"]].\n\n![[Loop]]\n"), true
		},
		Size:   1 << 20,
		PageAt: func(ref string) string { return "/page/" + ref },
		TagAt:  func(tag string) string { return "/?tag=" + tag },
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"heading", "# One Two\n", `<h1 id="h-one-two" data-line="1">One Two</h1>`},
		{"line", "a\n\nb\n", `<p id="L3" data-line="3">b</p>`},
		{"wikilink", "see [[Ada|her]]\n", `<a class="page" href="/page/s:Ada" rel="nofollow" title="s:Ada">her</a>`},
		{"heading of a page", "[[Ada#Two Words]]\n", `href="/page/s:Ada?at=h-two-words#h-two-words"`},
		{"block of a page", "[[Ada#^x-1]]\n", `href="/page/s:Ada?at=b-x-1#b-x-1"`},
		{"broken", "[[nowhere]]\n", `<span class="broken" title="no page has this name">nowhere</span>`},
		{"path", "[her](Ada.md)\n", `<a class="page" href="/page/s:Ada.md" rel="nofollow" title="s:Ada.md">her</a>`},
		{"other server", "[x](https://example.org/a)\n", `<a class="outside" href="https://example.org/a" rel="nofollow noreferrer">x</a>`},
		{"code is no link", "`[[Ada]]`\n", "<code>[[Ada]]</code>"},
		{"picture with an address of this server", "![a picture](?wrote=5)\n", `<p id="L1" data-line="1">a picture</p>`},
		{"raw picture with an address of this server", "a <img alt=\"picture\" src=\"?wrote=5\">\n", `data-line="1">a picture</p>`},
		{"picture of another scheme", "![a picture](//h/undo)\n", ">a picture</p>"},
		{"picture of another server", "![x](https://example.org/a.png)\n", `<span class="picture">Picture on another server: <a class="outside" href="https://example.org/a.png" rel="nofollow noreferrer">x</a></span>`},
		{"picture", "![x](a.png)\n", `<img src="/file/s/a.png" alt="x" loading="lazy">`},
		{"picture of notes", "see ![[att/p2.png|300]]\n", `<img src="/file/s/att/p2.png" alt="p2.png" loading="lazy">`},
		{"raw picture", "<img src=\"../a.png\" alt=\"x\" onerror=\"y\">\n", `<img src="/file/a.png" alt="x" loading="lazy">`},
		{"raw picture of another server", "<img src=\"https://example.org/a.png\">\n", `rel="nofollow noreferrer">picture</a></span>`},
		{"raw link", "<a href=\"https://example.org/\">x</a>\n", `<a class="outside" href="https://example.org/" rel="nofollow noreferrer">x</a>`},
		{"raw link within the server", "a <a href=\"/sign-out\">x</a>\n", `>a x</p>`},
		{"raw classes and ids", "<div id=\"here\" class=\"top k\">x</div>\n", "<div>x</div>"},
		{"ends of nothing", "a</div></div></p>\n\n</div></section><h1 class=\"top\">b\n", "a</p>\n<h1>b\n</h1>"},
		{"embedded picture", "![[a.png]]\n", `<img src="/file/s/a.png" alt="a.png" loading="lazy">`},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\n", "<td>1</td>"},
		{"task", "- [x] done\n- [ ] open\n", `<li id="L1" data-line="1" class="task done">`},
		{"highlight", "a ==b== c\n", "<mark>b</mark>"},
		{"comment", "a %%hidden%% b\n", "a            b"},
		{"HTML comment", "a <!-- hidden --> b\n", "a  b"},
		{"callout", "> [!tip] Do it\n> so\n", `<div class="callout tip"><p class="callout-title">Do it</p>`},
		{"block id", "text ^abc\n", `<p id="b-abc" data-line="1">text</p>`},
		{"footnote", "a[^1]\n\n[^1]: note\n", `class="footnote-ref"`},
		{"observation", "- [fact] Wrote it #first (1843)\n", `<span class="category">fact</span>`},
		{"relation", "- works_at [[Mill]] @1833..1852 (co)\n", `<span class="interval">1833 – 1852</span> (co)`},
		{"relation type", "- works_at [[Mill]]\n", `<span class="type">works_at</span> <a class="page"`},
		{"tag", "a #log b\n", `<a class="tag" href="/?tag=log" rel="nofollow">#log</a>`},
		{"math", "$a<b$\n", `<code class="math">a&lt;b</code>`},
		{"formula of its own", "a $$x^2$$ b\n", `a <code class="math display">x^2</code> b`},
		{"formula of several lines", "$$\n\\begin{aligned}\na &= b \\\\\n[[c]]\n\\end{aligned}\n$$\nnext\n", "<p><code class=\"math display\">\\begin{aligned}\na &amp;= b \\\\\n[[c]]\n\\end{aligned}</code></p>\n<p id=\"L7\" data-line=\"7\">next</p>"},
		{"formula in a quote", "> $$ a\n> +b\n> $$\n", "<p><code class=\"math display\">a\n+b</code></p>"},
		{"formula with its marks at its lines", "$$ a\nb $$\nc\n", "<p><code class=\"math display\">a\nb</code></p>"},
		{"formula in a line that goes on", "x $$ a\nb $$ c\n", "<p id=\"L1\" data-line=\"1\">x <code class=\"math display\">a\nb</code> c</p>"},
		{"formulas next to a word", "CO$_2$, the $n$th and $\\alpha$-decay\n", `CO<code class="math">_2</code>, the <code class="math">n</code>th and <code class="math">\alpha</code>-decay`},
		{"prices and variables", "10$-20$, 5$/month vs 6$/month, $HOME/bin:$PATH, ${A}/${B}, ^foo$|^bar$\n", "10$-20$, 5$/month vs 6$/month, $HOME/bin:$PATH, ${A}/${B}, ^foo$|^bar$</p>"},
		{"formula that nothing closes", "$$\na [[Ada]]\n\n# B\n", `<a class="page"`},
		{"diagram", "```mermaid\ngraph TD; A[\"<b>\"]-->B\n```\n", `<pre class="chroma mermaid" tabindex="0"><code>graph TD; A[&#34;&lt;b&gt;&#34;]--&gt;B`},
		{"money", "$5 and $6\n", "$5 and $6"},
		{"code", "```go\nfunc main() {}\n```\n", `<span class="kd">func</span>`},
		{"embed", "![[Ada]]\n", `<div class="embed"><p class="embed-of"><a class="page"`},
		{"link of an embedded page", "![[Ada]]\n", `Text of <a class="page" href="/page/s:Deep"`},
		{"invisible", "a\u202eb\u200bc\n", `a<span class="unseen" title="an invisible character">U+202E</span>b<span class="unseen" title="an invisible character">U+200B</span>c`},
		{"credential", "token ghp_16C7e42F292c6912E7710c838347Ae178B4a\n", "xxxxxx"},
	} {
		got := Document(t.Context(), source("page.md", tt.text)).HTML
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n%s\nhas no\n%s", tt.name, got, tt.want)
		}
		if strings.Contains(got, "hidden") {
			t.Errorf("%s shows what is hidden: %s", tt.name, got)
		}
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.md", "---\nborn: 1815-12-10\nfriends: [\"[[Charles]]\", \"[[Mary]]\"]\nhtml: <script>\n---\n# A\n"))
	want := []Property{
		{"born", "1815-12-10"},
		{"friends", `<a class="page" href="/page/s:Charles" rel="nofollow" title="s:Charles">Charles</a>, <a class="page" href="/page/s:Mary" rel="nofollow" title="s:Mary">Mary</a>`},
		{"html", "&lt;script&gt;"},
	}
	if !slices.Equal(got.Properties, want) {
		t.Errorf("properties are %q", got.Properties)
	}
	if strings.Contains(got.HTML, "born") || len(got.Headings) != 1 || got.Headings[0].ID != "h-a" {
		t.Errorf("the page is %+v", got)
	}
}

func TestOrg(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.org", `:PROPERTIES:
:ID: 6c9c7e4e-8b52-4c52-9d43-0d0f3d2a0001
:END:
#+title: Engine
* TODO Mill :brass:
The [[id:11111111-2222-4333-8444-555555555555][store]] and [[https://example.org][web]].
#+include: "/etc/passwd"
#+begin_src python
def f(): pass
#+end_src
| a | b |
|---+---|
| 1 | 2 |
`)).HTML
	for _, want := range []string{
		`<h2 id="h-mill" data-line="5">`, `<span class="todo">TODO</span>`, `href="/page/s:11111111-2222-4333-8444-555555555555"`, ">store</a>",
		`href="https://example.org"`, "<td>1</td>", `<span class="k">def</span>`, `class="tag" href="/?tag=brass"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "root:") {
		t.Error("a file was included")
	}
}

func TestOrgPicturesAndHTML(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.org", "[[file:../people/pic.png]] [[file:a.pdf][paper]] [[https://example.org/p.png]] [[https://example.org][web]]\n\n"+
		"#+begin_export html\n</div><div class=\"top\" id=\"here\">x\n#+end_export\n\n@@html:</div><b class=\"k\">y@@\n\n#+attr_html: :class top :id L1 :width 30\n[[file:b.png]]\n")).HTML
	for _, want := range []string{
		`<img src="/file/people/pic.png" alt="pic.png" loading="lazy">`, `<a class="file" href="/file/s/a.pdf" rel="nofollow">paper</a>`, `rel="nofollow noreferrer">p.png</a></span>`,
		`<a class="outside" href="https://example.org" rel="nofollow noreferrer">web</a>`, "<div>x", "<b>y", `<img src="/file/s/b.png" alt="b.png" loading="lazy"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, banned := range []string{"top", "here", `"k"`, `"L1"`} {
		if strings.Contains(got, banned) {
			t.Errorf("%s is in\n%s", banned, got)
		}
	}
}

func TestOrgFormulas(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.org", "A \\(x<1\\) b \\[y &= 2\\] c $z$ d $$w$$ e, $5 and $6.\n\n\\begin{align}\na &= b\n\\end{align}\n\n#+begin_src mermaid\ngraph TD\n#+end_src\n")).HTML
	for _, want := range []string{
		`A <code class="math">x&lt;1</code> b <code class="math display">y &amp;= 2</code> c <code class="math">z</code> d <code class="math display">w</code> e, $5 and $6.`,
		"<code class=\"math display\">\\begin{align}\na &amp;= b\n\\end{align}</code></p>", `<pre class="chroma mermaid" tabindex="0"><code>graph TD`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// The links of a page are those of the index, whatever dollars are around them.
func TestLinksAmongDollars(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`<a class="page" href="/page/s:([^"]*)"`)
	for _, text := range []string{
		"A seat costs 5$, see [[Ada]], or 6$ a month.\n", "We pay 100k$; [[Ada]] pays 120k$.\n", "It costs $5, see [[Ada]], or US$ 6.\n",
		"It was 5$.\nThen [[Ada]] paid 6$.\n", "$x + [[a]] y$ and [[Ada]]\n", "$a\n[[Ada]] b$\n", "x $$ [[a]] $$ [[Ada]]\n", "x $$ a\n[[a]] $$ [[Ada]]\n",
		"$$ [[a]]\nb $$\n[[Ada]]\n", "`a$` [[Ada]] `b$`\n", "$5 for [[Ada]], $6 for [[Bob]]\n", "$X for [[Ada]] or Y$\n", "$a $b [[Ada]] $c$ [[Bob]]\n", "[[Ada]] $$ [[Bob]]\n",
	} {
		for _, name := range []string{"page.md", "page.org"} {
			var want, got []string
			for _, to := range parse(name, []byte(text)).Targets() {
				want = append(want, to.Name)
			}
			html := Document(t.Context(), source(name, text)).HTML
			for _, m := range link.FindAllStringSubmatch(html, -1) {
				got = append(got, m[1])
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s %q links to %q, the index to %q:\n%s", name, text, got, want, html)
			}
		}
	}
}

func TestOrgMoney(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.org", "* Plan of 5$ or 6$\nA 5$, see *bold* or 6$ and $x$.\n#+begin_src sh\necho $HOME:$PATH\n#+end_src\n")).HTML
	for _, want := range []string{`id="h-plan-of-5-or-6" data-line="1"`, "A 5$, see <strong>bold</strong> or 6$ and <code class=\"math\">x</code>.", `data-line="2"`, "$HOME</span>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestOrgLines(t *testing.T) {
	t.Parallel()
	s := source("page.org", "#+title: A\nFirst words.\n\n* Two\nText of two\ngoes on.\n\n- item\n\n* Two\nEnd.\n")
	s.Here = 6
	got := Document(t.Context(), s)
	for _, want := range []string{`<p id="L2" data-line="2">First`, `<h2 id="h-two" data-line="4">`, `<p id="here" data-line="5">Text`, `<h2 id="h-two-2" data-line="10">`, `<p id="L11" data-line="11">End`} {
		if !strings.Contains(got.HTML, want) {
			t.Errorf("no %s in\n%s", want, got.HTML)
		}
	}
	if len(got.Headings) != 2 || got.Headings[1].ID != "h-two-2" {
		t.Errorf("the outline is %+v", got.Headings)
	}
}

func TestEqualHeadings(t *testing.T) {
	t.Parallel()
	got := Document(t.Context(), source("page.md", "# A\n\n# A 2\n\n# A\n\n# A\n"))
	var ids []string
	for _, h := range got.Headings {
		ids = append(ids, h.ID)
		if strings.Count(got.HTML, ` id="`+h.ID+`"`) != 1 {
			t.Errorf("%s is not once in\n%s", h.ID, got.HTML)
		}
	}
	if want := []string{"h-a", "h-a-2", "h-a-3", "h-a-4"}; !slices.Equal(ids, want) {
		t.Errorf("the ids are %q", ids)
	}
}

func TestBalance(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"</div>a": "a", "<b>a": "<b>a</b>", "<p><b>a</p>b</b>": "<p><b>a</b></p>b", "a<br>b": "a<br>b", "<div/>a": "<div/></div>a",
		strings.Repeat("<div>", 1000): strings.Repeat("<div>", maxOpen) + strings.Repeat("</div>", maxOpen),
	} {
		if got := balance(text); got != want {
			t.Errorf("%.40q is balanced to %.80q, not %.80q", text, got, want)
		}
	}
}

// A page that embeds itself, or pages that embed each other, end.
func TestEmbedsEnd(t *testing.T) {
	t.Parallel()
	s := source("page.md", "![[page]]\n\n![[Other]]\n")
	got := Document(t.Context(), s).HTML
	if strings.Count(got, "shown already") != 2 || strings.Count(got, `class="embed"`) != 2 || !strings.Contains(got, `href="/page/s:Deep"`) {
		t.Errorf("embeds are\n%s", got)
	}
}

// Embeds are three deep, of a limited number and size, and each page is read once.
func TestEmbedsAreLimited(t *testing.T) {
	t.Parallel()
	embed := func(text string, of func(ref string) string) (shown string, read int) {
		s := source("page.md", text)
		s.Embed = func(ref string) (Page, bool) {
			read++
			return Page{Path: "x.md", Text: []byte(of(ref)), Resolve: s.Resolve}, true
		}
		return Document(t.Context(), s).HTML, read
	}
	var many strings.Builder
	for i := range 80 {
		fmt.Fprintf(&many, "![[p%d]]\n\n", i)
	}
	deep, read := embed("![[a]]\n", func(ref string) string { return "![[" + strings.TrimPrefix(ref, "s:") + "a]]\n" })
	if n := strings.Count(deep, `class="embed"`); n != maxDepth || read != maxDepth || !strings.Contains(deep, `href="/page/s:aaaa"`) {
		t.Errorf("%d pages are embedded within each other, %d were read:\n%s", n, read, deep)
	}
	wide, read := embed(many.String(), func(string) string { return many.String() })
	if n := strings.Count(wide, `class="embed"`); n != maxEmbeds || read > maxEmbeds {
		t.Errorf("%d pages are embedded, %d were read", n, read)
	}
	same, read := embed(strings.Repeat("![[a]]\n\n", 40), func(string) string { return "x" })
	if n := strings.Count(same, `class="embed"`); n != 40 || read != 1 {
		t.Errorf("%d pages are embedded, %d were read", n, read)
	}
	large, _ := embed(many.String(), func(string) string { return strings.Repeat("word ", 20000) })
	if n := strings.Count(large, `class="embed"`); n != maxEmbedded/maxEmbed || !strings.Contains(large, `href="/page/s:p79"`) {
		t.Errorf("%d large pages are embedded", n)
	}
}

func TestPassage(t *testing.T) {
	t.Parallel()
	got := Passage(t.Context(), Page{Path: "passage.md", Text: []byte("## Mill\n\nThe *mill* & <b>[[Ada]]</b> amp\n")}, []string{"mill", "amp"})
	for _, want := range []string{"<h2><mark>Mill</mark></h2>", "<em><mark>mill</mark></em> &amp; <b>", "<mark>amp</mark>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, " id=") || strings.Contains(got, "<a") {
		t.Errorf("a passage is\n%s", got)
	}
}

// attacks are what a page must not do to its reader, in the forms of OWASP's list, of Org
// and of programs that render notes.
var attacks = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `<svg><script>alert(1)</script></svg>`, `<math><mi xlink:href="javascript:alert(1)">x</mi></math>`,
	`[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert(1))`, `[x](java&#115;cript:alert(1))`, "[x](java\tscript:alert(1))", `[x](data:text/html;base64,PHNjcmlwdD4=)`, `[x](vbscript:msgbox(1))`,
	`![x](javascript:alert(1))`, `<javascript:alert(1)>`, `<a href="javascript:alert(1)">x</a>`, `<a href=" javascript:alert(1)">x</a>`, `<iframe src="https://evil.example"></iframe>`, `<iframe srcdoc="<script>alert(1)</script>">`,
	`<object data="x">`, `<embed src="x">`, `<base href="https://evil.example/">`, `<meta http-equiv="refresh" content="0;url=https://evil.example">`, `<link rel=stylesheet href="https://evil.example/x.css">`, `<style>*{background:url(https://evil.example)}</style>`,
	`<form action="https://evil.example"><input name=q><button>x</button></form>`, `<input type=image src=x onerror=alert(1)>`, `<div style="background:url(https://evil.example)">x</div>`, `<img src="https://evil.example/pixel.png">`, `<img src="//evil.example/pixel.png">`, `<img src="/\evil.example/p.png">`, `<img srcset="https://evil.example/p.png 1x">`,
	`<video src="https://evil.example/v"></video>`, `<audio autoplay src="https://evil.example/a"></audio>`, `<table background="https://evil.example/b.png"><tr><td>x</table>`, `<div id="main" class="changed top">x</div>`, `<a id="map" name="body">x</a>`, `<details ontoggle=alert(1) open>x</details>`,
	`<dd><div><dd></dd></div><p>x</p></dd>`, `<li><div><li></li></div>x</li>`, `<h2><div><h6><h2></h2></h6></div></h2>x`, `<table><tr><td><table></div></table>x`, `<dd><div><dd></dd></div></dd><dd><div><dd></dd></div></dd><h2>x</h2>`, `<p><table><p>x</table></p>`, `<b><p></b>x</p>`, `<a href="https://a.example"><div><a href="https://b.example">x</a></div></a>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<textarea><img title="</textarea><img src=x onerror=alert(1)>">`, "<!--><img src=x onerror=alert(1)>-->", `<![CDATA[<img src=x onerror=alert(1)>]]>`, `<x onclick=alert(1)>x</x>`, `"><script>alert(1)</script>`, `'"--></style></script><script>alert(1)</script>`,
	"```\"><script>alert(1)</script>\nx\n```", "```html\n<script>alert(1)</script>\n```", "```mermaid\ngraph TD; A[\"<img src=x onerror=alert(1)>\"]-->B\n```", "```mermaid\"><script>alert(1)</script>\ngraph TD\n```", "```mermaid\n</code></pre><script>alert(1)</script>\n```", "$<img src=x onerror=alert(1)>$", "$$<img src=x onerror=alert(1)>$$", "$$\n</code><script>alert(1)</script>\n$$", `\\(<img src=x onerror=alert(1)>\\)`, "\\begin{a}\n</code><script>alert(1)</script>\n\\end{a}", "==<img src=x onerror=alert(1)>==",
	`[[<img src=x onerror=alert(1)>]]`, `[[a|<script>alert(1)</script>]]`, `[[" onmouseover="alert(1)]]`, `![[<script>alert(1)</script>.png]]`, `[^"><script>]: x`, `#tag"><script>alert(1)</script>`, `- [<script>alert(1)</script>] fact`, `- <script>x</script> [[Ada]] @1833..1852`, `> [!<script>] x`, `> [!tip] <script>alert(1)</script>`,
	"#+begin_export html\n<script>alert(1)</script>\n#+end_export", "#+html: <script>alert(1)</script>", "[[javascript:alert(1)][x]]", "[[elisp:(delete-file \"x\")][x]]", "[[shell:rm -rf /][x]]", "@@html:<script>alert(1)</script>@@", "#+include: \"/etc/passwd\"", "* <script>alert(1)</script> :\"><script>:", "#+title: <script>alert(1)</script>", "#+attr_html: :onclick alert(1)\n[[file:a.png]]", "src_html{<script>alert(1)</script>}", "{{{x(<script>)}}}\n#+macro: x <script>alert(1)</script>",
}

// scriptURL is an address that runs something.
var scriptURL = regexp.MustCompile(`(?i)^\s*(?:javascript|vbscript|data|elisp|shell|file):`)

// check reports everything in a text of HTML that is outside of what render promises.
func check(text string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	banned := []string{"script", "style", "iframe", "object", "embed", "base", "meta", "link", "form", "input", "button", "textarea", "select", "svg", "math", "video", "audio", "source", "noscript", "template"}
	attributes := []string{"class", "id", "data-line", "title", "dir", "lang", "role", "aria-label", "tabindex", "href", "rel", "src", "alt", "loading", "width", "height", "colspan", "rowspan", "start", "open", "datetime"}
	if balance(text) != text {
		fault("ends or beginnings without the other")
	}
	// What a browser makes of it: the tree has no element that the text did not name, and all
	// is in the element around it.
	tree, err := html.ParseFragment(strings.NewReader("<section>"+text+"</section><hr>"), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		fault("%v", err)
	}
	if len(tree) != 2 || tree[0].Data != "section" || tree[1].Data != "hr" {
		fault("a browser sees %d elements beside each other", len(tree))
	}
	for _, top := range tree {
		for n := range top.Descendants() {
			if n.Type == html.ElementNode && slices.Contains(banned, n.Data) || n.Namespace != "" {
				fault("a browser sees the element %s", n.Data)
			}
		}
	}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return faults
		}
		token := z.Token()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if slices.Contains(banned, token.Data) {
			fault("element %s", token.Data)
		}
		for _, a := range token.Attr {
			switch {
			case !slices.Contains(attributes, a.Key):
				fault("attribute %s of %s", a.Key, token.Data)
			case a.Key == "href" && scriptURL.MatchString(a.Val):
				fault("link to %s", a.Val)
			case a.Key == "src" && (!strings.HasPrefix(a.Val, "/") || strings.HasPrefix(a.Val, "//") || strings.Contains(a.Val, `\`)):
				fault("picture from %s", a.Val)
			case a.Key == "id" && !ids().MatchString(a.Val):
				fault("id %s", a.Val)
			case a.Key == "class" && a.Val != "unseen" && !allows(token.Data, a.Key, a.Val, true):
				fault("class %s", a.Val)
			}
		}
	}
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"page.md", "page.org"} {
		for _, attack := range attacks {
			for _, text := range []string{attack, "# " + attack, "- " + attack, "> " + attack, "| " + attack + " |\n|---|\n| " + attack + " |", "---\nx: '" + attack + "'\ntitle: " + attack + "\n---\n" + attack} {
				r := Document(t.Context(), source(name, text))
				all := r.HTML
				for _, p := range r.Properties {
					all += p.HTML
				}
				for _, fault := range check(all + Passage(t.Context(), Page{Path: name, Text: []byte(text)}, []string{"x", "alert"})) {
					t.Errorf("%s %q: %s", name, text, fault)
				}
			}
		}
	}
	if len(check(`<script>`)) == 0 || len(check(`<img src="https://x">`)) == 0 || len(check(`<a href="javascript:x" onclick="y"></a>`)) != 2 {
		t.Error("check finds nothing")
	}
}

// linksOf are the offsets of the links that the index has of the text of a page.
func linksOf(d *doc.Document) (at []int) {
	n := &d.Nodes[0]
	for _, l := range n.Links {
		at = append(at, l.Span.Start)
	}
	for _, r := range n.Relations {
		at = append(at, r.Target.Span.Start)
	}
	slices.Sort(at)
	return at
}

// The links of a page are those of the index. CAIRN_VAULTS names directories of notes.
func TestLinksAreThoseOfTheIndex(t *testing.T) {
	t.Parallel()
	texts := map[string][]byte{
		"own.md": []byte("---\nup: \"[[Top]]\"\n---\n[[A]] [b](B.md) ![[C]] - text\n\n- knows [[D]] @2020..\n\n`[[no link]]`\n\n```\n[[no link]]\n```\n\n![[E]]\n\n[[A]]\n"),
	}
	for _, dir := range filepath.SplitList(os.Getenv("CAIRN_VAULTS")) {
		found, err := filepath.Glob(filepath.Join(dir, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if text, err := os.ReadFile(name); err == nil {
				texts[name] = text
			}
		}
	}
	all, missed := 0, 0
	for name, text := range texts {
		s := source("page.md", string(text))
		s.Embed = nil
		got := Document(t.Context(), s).Links
		want := linksOf(parse("page.md", secrets.Hide(text)))
		slices.Sort(got)
		got = slices.Compact(got)
		want = slices.Compact(want)
		all += len(want)
		for _, at := range want {
			if !slices.Contains(got, at) {
				missed++
				if name == "own.md" {
					t.Errorf("%s: no link at %d: %.40q", name, at, text[min(at, len(text)):])
				}
			}
		}
		for _, at := range got {
			if !slices.Contains(want, at) {
				t.Errorf("%s: a link at %d that the index does not have", name, at)
			}
		}
	}
	t.Logf("%d of %d links of the index are not shown", missed, all)
	if missed*200 > all {
		t.Errorf("%d of %d links of the index are not shown", missed, all)
	}
}

func FuzzDocument(f *testing.F) {
	slowtest.NoRace(f, "one thing after the other, many times")
	for _, a := range attacks {
		f.Add(a, true)
		f.Add(a, false)
	}
	f.Add("# A\n\n- knows [[D]] @2020..\n\n> [!tip] x\n> y\n\n| a |\n|---|\n| ==b== |\n", true)
	for _, p := range heavyPages {
		f.Add(p.text, strings.HasSuffix(p.name, ".md"))
	}
	f.Fuzz(func(t *testing.T, text string, md bool) {
		name := "page.org"
		if md {
			name = "page.md"
		}
		s := source(name, text)
		s.endless = false
		r := Document(t.Context(), s)
		for _, fault := range check(r.HTML) {
			t.Errorf("%q: %s", text, fault)
		}
		for _, p := range r.Properties {
			for _, fault := range check(p.HTML) {
				t.Errorf("property of %q: %s", text, fault)
			}
		}
	})
}
