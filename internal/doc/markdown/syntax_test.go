package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Every syntax that a policy may name means something.
func TestEverySyntaxHasOptions(t *testing.T) {
	t.Parallel()
	if len(kb.Syntaxes()) == 0 {
		t.Fatal("there are no syntaxes")
	}
	for _, s := range kb.Syntaxes() {
		if fmt.Sprint(doc.SyntaxOf(s)) == fmt.Sprint(doc.Syntax{}) {
			t.Errorf("%s is as any other", s)
		}
	}
}

const block = "65f1c2d3-1111-4222-8333-444455556666"

// TestLinksOfSyntaxes: what is a link depends on the syntax, and each is where it
// says.
func TestLinksOfSyntaxes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		syntax kb.Syntax
		text   string
		want   string // kind name heading|text of each, in order
		words  string // that a reader sees
	}{
		{"dendron", "a [[The label|a.b#top]] b [[c]]", "wikilink a.b#top|The label, wikilink c|", "a The label b c"},
		{"", "a [[a.b#top|The label]] b", "wikilink a.b#top|The label", "a The label b"},
		{"dendron", "| [[x\\|a.b]] |", "wikilink a.b|x", "| x |"},
		{"dendron", "[[dendron://main/a.b]] [[x|dendron://main/a.b#c]] [[dendron://odd]]", "wikilink a.b|, wikilink a.b#c|x, wikilink dendron://odd|", ""},
		{"dendron", "![[a.b#^one]]", "embed a.b|", "a.b#^one"},
		{"dendron", "@ada, (@bob.smith). @é x@y.org @@ @. `@no` [@in](b.md)", "mention user.ada|, mention user.bob.smith|, mention user.é|, markdown b.md|@in, mention user.in|", ""},
		{"dendron", "# A @ada\n\n#one.two. #a-b/c #1 [[x]]", "mention user.ada|, mention tags.one.two|, mention tags.a-b/c|, wikilink x|", ""},
		{"", "@ada #one.two", "", "@ada #one.two"},
		{"logseq", "- see ((" + block + ")) now", "block " + block + "|", "- see  now"},
		{"", "- see ((" + block + "))", "", "- see ((" + block + "))"},
		{"logseq", "- ((not an id)) (( ((" + block + ") `((" + block + "))`", "", ""},
		{"logseq", "- {{embed ((" + block + "))}} {{embed [[a/b]]}} {{embed x}} {{query [[c]]}}", "block " + block + "|, embed a/b|, wikilink c|", "-  a/b {{embed x}} {{query c}}"},
		{"logseq", "- [the plan](((" + block + "))) [the page]([[a b]]) [web](x.md)", "block " + block + "|the plan, wikilink a b|the page, markdown x.md|web", "- the plan the page web"},
		{"logseq", "- #tag #[[two words]] x", "mention tag|, mention two words|", "- #tag #two words x"},
		{"logseq", "- Met with [[Ada]]\n- part_of [[B]]", "wikilink Ada|", ""},
		{"logseq", "# Relations\n\n- child of [[Lord Byron]]\n", "", ""},
		{"logseq", "- one\n  id:: " + block + "\n  collapsed:: true\n  two", "", "- one\n  two"},
	} {
		d := markdown.Codec{}.In(tc.syntax).Parse("a.md", []byte(tc.text))
		var got []string
		last := -1
		for _, l := range d.Nodes[0].Links {
			name := l.Name
			if l.Heading != "" {
				name += "#" + l.Heading
			}
			got = append(got, string(l.Kind)+" "+name+"|"+l.Text)
			if d.Slice(l.NameAt) != l.Raw && l.NameAt.Len() > 0 || !l.Span.Contains(l.NameAt) || l.Span.Start <= last {
				t.Errorf("%q: %q stands at %q in %q", tc.text, l.Raw, d.Slice(l.NameAt), d.Slice(l.Span))
			}
			last = l.Span.Start
		}
		if g := strings.Join(got, ", "); g != tc.want {
			t.Errorf("%s %q:\n got %s\nwant %s", tc.syntax, tc.text, g, tc.want)
		}
		if g := d.Reading(doc.Span{End: len(d.Text)}); tc.words != "" && g != tc.words {
			t.Errorf("%s %q reads %q, want %q", tc.syntax, tc.text, g, tc.words)
		}
	}
}

// TestNamesOfSyntaxes: what a page is called, and by what else it is found.
func TestNamesOfSyntaxes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		syntax           kb.Syntax
		path, text       string
		title, refs, tag string
	}{
		{"logseq", "pages/a___b.md", "# Heading\n\ntext\n", "a/b", "", ""},
		{"", "pages/a___b.md", "# Heading\n\ntext\n", "Heading", "", ""},
		{"logseq", "pages/x.md", "title:: A page\n\n- b\n  id:: " + strings.ToUpper(block) + "\n", "A page", "^" + block, ""},
		{"logseq", "journals/2026_11_21.md", "- x\n", "Nov 21st, 2026", "", ""},
		{"logseq", "journals/2026_02_12.md", "- x\n", "Feb 12th, 2026", "", ""},
		{"logseq", "journals/2026_02_30.md", "- x\n", "2026_02_30", "", ""},
		{"", "journals/2026_11_21.md", "- x\n", "2026_11_21", "", ""},
		{"dendron", "a.b.md", "---\nid: Xy3\n---\n#c.d\n", "a.b", "id:Xy3", "c.d"},
		{"dendron", "a.b.md", "---\nid: " + block + "\n---\n", "a.b", "", ""},
		{"", "a.b.md", "---\nid: Xy3\n---\n#c.d\n", "a.b", "id:Xy3", "c"},
	} {
		n := markdown.Codec{}.In(tc.syntax).Parse(tc.path, []byte(tc.text)).Nodes[0]
		if refs := strings.Join(n.Refs, " "); n.Title != tc.title || refs != tc.refs || strings.Join(n.Tags, " ") != tc.tag {
			t.Errorf("%s %s: title %q, refs %q, tags %q", tc.syntax, tc.path, n.Title, refs, n.Tags)
		}
	}
	n := markdown.Codec{}.In("dendron").Parse("a.md", []byte("---\nid: Xy3\n---\n")).Nodes[0]
	if _, ok := kb.ParseID(n.ID); !ok || n.ID != string(kb.NamedID("Xy3")) || kb.NamedID("xy3") == kb.NamedID("Xy3") {
		t.Errorf("id %q", n.ID)
	}
}

// TestEchoes: definitions that repeat wikilinks are not links, nor searched, and
// follow where the links are led.
func TestEchoes(t *testing.T) {
	t.Parallel()
	text := "[[a]], [[b#c|d]], [x][used]\n\n[//begin]: # \"Autogenerated\"\n[a]: sub/a.md \"A\"\n[b#c|d]: b \"B\"\n[used]: u.md\n[other]: o.md\n[//end]: # \"End\"\n"
	codec := markdown.Codec{}
	d := codec.Parse("n.md", []byte(text))
	if n := len(d.Nodes[0].Links); n != 3 || len(d.Echoes) != 2 {
		t.Fatalf("%d links, echoes %+v", n, d.Echoes)
	}
	words, markup := d.Words(doc.Span{End: len(d.Text)})
	if strings.Contains(words+markup, "Autogenerated") || strings.Contains(words+markup, "sub/a.md") || !strings.Contains(markup, "o.md") {
		t.Errorf("words %q, markup %q", words, markup)
	}
	out, err := codec.Apply(d, "", doc.Retarget{Links: []doc.RetargetOne{
		{At: d.Nodes[0].Links[0].NameAt, Raw: "new"}, {At: d.Echoes[0].Target.NameAt, Raw: "sub/new.md"},
	}})
	want := strings.NewReplacer("[[a]]", "[[new]]", "[a]: sub/a.md", "[new]: sub/new.md").Replace(text)
	if err != nil || string(out) != want {
		t.Errorf("%s: %v", out, err)
	}
}

// TestSuiteOfSyntaxes: each syntax keeps what the suite asks of every format.
func TestSuiteOfSyntaxes(t *testing.T) {
	t.Parallel()
	for _, s := range kb.Syntaxes() {
		t.Run(string(s), func(t *testing.T) { doctest.Run(t, markdown.Codec{}.In(s), fixtures(t)) })
	}
}

// TestFieldsInPlaceOfFrontmatter: the metadata of an outline is fields, and an edit
// changes them alone.
func TestFieldsInPlaceOfFrontmatter(t *testing.T) {
	t.Parallel()
	codec := markdown.Codec{}.In("logseq")
	const page = "alias:: the site\ntags:: project, #[[front end]]\n\n- text\n"
	for _, tc := range []struct {
		text string
		edit doc.Edit
		want string
	}{
		{page, doc.SetProperty{Key: "id", Value: block}, "alias:: the site\ntags:: project, #[[front end]]\nid:: " + block + "\n\n- text\n"},
		{page, doc.SetProperty{Key: "alias", Value: "it"}, "alias:: it\ntags:: project, #[[front end]]\n\n- text\n"},
		{page, doc.AddTag{Tag: "two words"}, "alias:: the site\ntags:: project, [[front end]], [[two words]]\n\n- text\n"},
		{page, doc.RemoveTag{Tag: "front end"}, "alias:: the site\ntags:: project\n\n- text\n"},
		{page, doc.SetList{Key: "owners", Values: []string{"Ada", "B. C."}}, "alias:: the site\ntags:: project, #[[front end]]\nowners:: [[Ada]], [[B. C.]]\n\n- text\n"},
		{page, doc.RemoveProperty{Key: "alias"}, "tags:: project, #[[front end]]\n\n- text\n"},
		{page, doc.SetTitle{Title: "New: one"}, "alias:: the site\ntags:: project, #[[front end]]\ntitle:: New: one\n\n- text\n"},
		{page, doc.Prepend{Text: "- first"}, "alias:: the site\ntags:: project, #[[front end]]\n\n- first\n- text\n"},
		{"- text\n", doc.AddTag{Tag: "a"}, "tags:: a\n\n- text\n"},
		{"", doc.SetProperty{Key: "type", Value: "book"}, "type:: book\n"},
		{"type:: x", doc.SetProperty{Key: "icon", Value: "y"}, "type:: x\nicon:: y"},
		{"type:: x\r\n\r\n- text\r\n", doc.AddTag{Tag: "a"}, "type:: x\r\ntags:: a\r\n\r\n- text\r\n"},
		{"---\ntitle: x\n---\n- text\n", doc.AddTag{Tag: "a"}, "---\ntitle: x\ntags:\n  - a\n---\n- text\n"},
	} {
		out, err := codec.Apply(codec.Parse("a.md", []byte(tc.text)), "", tc.edit)
		if err != nil || string(out) != tc.want {
			t.Errorf("%#v:\n%q, want\n%q: %v", tc.edit, out, tc.want, err)
		}
	}
	for _, e := range []doc.Edit{doc.SetProperty{Key: "a", Value: "x\ny"}, doc.SetProperty{Key: "a:: b", Value: "x"}, doc.AddTag{Tag: "a\nb"}} {
		if out, err := codec.Apply(codec.Parse("a.md", []byte(page)), "", e); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%#v: %q, %v", e, out, err)
		}
	}
	n := codec.Parse("pages/x.md", []byte("title:: A page\nid:: "+block+"\nup:: [[Top]]\ntags:: a, [[b c]]\ncreated:: 2026-01-02\n\n- text\n")).Nodes[0]
	if n.Title != "A page" || n.ID != block || strings.Join(n.Tags, "|") != "a|b c" || n.Created.IsZero() || len(n.Links) != 3 || n.Links[1].Kind != doc.Mention || n.Links[1].Name != "a" || n.Links[2].Kind != doc.Mention {
		t.Errorf("%+v", n)
	}
	many := codec.Parse("pages/x.md", []byte("tags:: "+strings.Repeat("a, ", 1<<20)+"[[b]]\n\n- text\n")).Nodes[0]
	if len(many.Links) != 1 {
		t.Errorf("a list of a million tags has %d links", len(many.Links))
	}
	if up, _ := n.Property("up"); strings.Join(up.Values, "|") != "Top" {
		t.Errorf("up: %q", up.Values)
	}
}
