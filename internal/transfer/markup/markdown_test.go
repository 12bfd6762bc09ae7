package markup_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ html, want string }{
		"paragraphs":   {"<p>One <b>bold</b> and <i>it</i>.</p><p>Two<br>lines</p>", "One **bold** and *it*.\n\nTwo\nlines"},
		"headings":     {"<h1>A</h1><h3> B <em>c</em></h3>", "# A\n\n### B *c*"},
		"lists":        {"<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul><ol start=3><li>x</li><li>y<ol><li>z</li></ol></li></ol>", "- a\n  - b\n- c\n\n3. x\n4. y\n   1. z"},
		"boxes":        {"<ul><li><input type=checkbox checked>done</li><li><input type=checkbox>open</li></ul>", "- [x] done\n- [ ] open"},
		"boxes apart":  {"<div><input type=checkbox checked>done</div><div><input type=checkbox>open</div>", "- [x] done\n- [ ] open"},
		"evernote":     {`<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>a</div></li><li style="--en-checked:false;">b</li></ul>`, "- [x] a\n- [ ] b"},
		"table":        {"<table><tr><th>K</th><th colspan=2>V|W</th></tr><tr><td>a<br>b</td><td>2</td><td></td></tr></table>", "| K | V\\|W |  |\n| --- | --- | --- |\n| a<br>b | 2 |  |"},
		"code":         {"<pre><code class=\"language-go\">if a &lt; b {\n\tc()\n}</code></pre><p>x <code>y*z</code></p>", "```go\nif a < b {\n\tc()\n}\n```\n\nx `y*z`"},
		"links":        {`<a href="https://e.org/a b">t</a> <a href="https://e.org">https://e.org</a> <a href="javascript:x()">j</a>`, "[t](https://e.org/a%20b) <https://e.org> j"},
		"quotation":    {"<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"},
		"no marks":     {"<p># no * heading [x] &lt;b></p><p>1. no</p><p>snake_case</p>", "\\# no \\* heading \\[x] \\<b>\n\n1\\. no\n\nsnake_case"},
		"unread":       {"<style>x</style><script>y</script><p>z</p><svg><text>w</text></svg>", "z"},
		"rule":         {"<p>a</p><hr><p>b</p>", "a\n\n***\n\nb"},
		"styles":       {`<p><span style="font-size:9pt;font-weight:700">a</span> <span style="font-style: italic">b</span> <span style="text-decoration:underline line-through">c</span> <b><span style="font-weight:bold">d <strong>e</strong></span></b> <span style="font-weight:400">f</span> <span style="--en-highlight:yellow">g</span></p>`, "**a** *b* ~~c~~ **d e** f ==g=="},
		"google docs":  {`<b style="font-weight:normal"><span style="font-weight:400">a</span></b>`, "a"},
		"code, styled": {`<div style="box-sizing:border-box;--en-codeblock:true;"><div>if a {</div><div>&nbsp; b()</div><div><br/></div><div>}</div></div>`, "```\nif a {\n  b()\n\n}\n```"},
		"raised":       {`x<sup>2</sup>, H<sub>2</sub>O<sup><a href="https://e.org">1</a></sup>`, "x<sup>2</sup>, H<sub>2</sub>O[1](https://e.org)"},
		"blocks in it": {"<span><div>a</div><div>b</div></span>", "a\n\nb"},
	} {
		got, err := markup.Read(c.html, markup.Options{})
		if err != nil || got.Text != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got.Text, c.want)
		}
	}
}

func TestReadXHTML(t *testing.T) {
	t.Parallel()
	got, err := markup.Read(`<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "x"><en-note><div><x-todo checked="true"/>a</div><div/><p>b<br/>c</p></en-note>`, markup.Options{
		XHTML: true,
		Element: func(name string, a map[string]string) (string, bool) {
			return "- [" + map[string]string{"true": "x"}[a["checked"]] + "] ", name == "x-todo"
		},
	})
	if want := "- [x] a\n\nb\nc"; err != nil || got.Text != want {
		t.Errorf("%v\n%q\nwant\n%q", err, got.Text, want)
	}
}

func TestReadRefusesDepth(t *testing.T) {
	t.Parallel()
	if _, err := markup.Read(strings.Repeat("<div>", 100000), markup.Options{}); err == nil {
		t.Error("a document of any depth is read")
	}
}
