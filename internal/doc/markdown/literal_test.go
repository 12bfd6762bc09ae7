package markdown_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	zola = "+++\ntitle = \"Zola\" # c\ndate = 2024-05-01T10:00:00Z\nweight = 4\ndraft = false\n'odd key' = 'x'\n\n" +
		"[taxonomies]\ntags = [\n  \"a\", # first\n  \"b\",\n]\n[extra]\ntoc = true\n[extra.deep]\nn = 1.5\n+++\n\nBody [[X]].\n"
	hugo = "{\n  \"title\": \"Hugo\",\n  \"draft\": false,\n  \"params\": {\"a\": 1},\n  \"tags\": [\"one\"]\n}\nBody.\n"
)

func TestFrontmatterOfOtherLanguages(t *testing.T) {
	t.Parallel()
	codec := markdown.Codec{}
	z := codec.Parse("z.md", []byte(zola))
	n := z.Nodes[0]
	if n.Title != "Zola" || !slices.Equal(n.Tags, []string{"a", "b"}) || n.Created.Year() != 2024 || n.Day("z.md", doc.Syntax{}) != "2024-05-01" {
		t.Errorf("Zola's page is %q, tags %v, of %v", n.Title, n.Tags, n.Created)
	}
	for key, want := range map[string][]string{"weight": {"4"}, "draft": {"False"}, "odd key": {"x"}, "date": {"2024-05-01T10:00:00Z"}} {
		if p, _ := n.Property(key); !slices.Equal(p.Values, want) {
			t.Errorf("%s is %q", key, p.Values)
		}
	}
	has := func(n doc.Node, key, value string) bool {
		return slices.ContainsFunc(n.Properties, func(p doc.PropertyValue) bool { return p.Key == key && p.Value == value })
	}
	if !has(n, "extra.toc", "True") || !has(n, "extra.deep.n", "1.5") || z.Slice(n.Truth) != "\nBody [[X]].\n" {
		t.Errorf("the tables are %v, the text is %q", n.Properties, z.Slice(n.Truth))
	}
	h := codec.Parse("h.md", []byte(hugo))
	n = h.Nodes[0]
	if p, _ := n.Property("params"); n.Title != "Hugo" || !slices.Equal(n.Tags, []string{"one"}) || !p.Opaque || !has(n, "params.a", "1") || h.Slice(n.Truth) != "Body.\n" {
		t.Errorf("Hugo's page is %q, tags %v, %v", n.Title, n.Tags, n.Properties)
	}
	for _, text := range []string{"{ a } b\n", "{{title}}\n\nx\n", "{\"a\": 1} and more\n", "{%raw%}\n", "++++\nx\n++++\n"} {
		if d := codec.Parse("x.md", []byte(text)); len(d.Nodes[0].Metadata) > 0 || len(d.Warnings) > 0 || d.Nodes[0].Head.Len() > 0 {
			t.Errorf("%q is read as frontmatter: %v %v", text, d.Nodes[0].Metadata, d.Warnings)
		}
	}
	for text, code := range map[string]string{
		"+++\na = broken\n+++\nx\n": "frontmatter-not-toml", "+++\na = 1\nx\n": "frontmatter-open",
		"{\n  \"a\": broken\n}\nx\n": "frontmatter-not-json",
	} {
		d := codec.Parse("x.md", []byte(text))
		if len(d.Warnings) != 1 || d.Warnings[0].Code != code {
			t.Errorf("%q: %v", text, d.Warnings)
		}
		for _, e := range []doc.Edit{doc.SetProperty{Key: "k", Value: "v"}, doc.AddTag{Tag: "t"}, doc.SetTitle{Title: "T"}} {
			if _, err := codec.Apply(d, "", e); kb.CodeOf(err) != kb.Invalid {
				t.Errorf("%q: %T is %v", text, e, err)
			}
		}
	}
}

func TestNestedData(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"---\nmap:\n  a: x\n  b: [y, true]\n---\n",
		"+++\nmap.a = \"x\"\nmap.b = [\"y\", true]\n+++\n",
		"+++\n[map]\na = \"x\"\nb = [\"y\", true]\n+++\n",
		"{\"map\": {\"a\": \"x\", \"b\": [\"y\", true]}}\n",
	} {
		n := markdown.Codec{}.Parse("x.md", []byte(text)).Nodes[0]
		i := slices.IndexFunc(n.Metadata, func(p doc.Property) bool { return p.Key == "map" })
		want := map[string]any{"a": "x", "b": []any{"y", true}}
		if i < 0 || !reflect.DeepEqual(n.Metadata[i].Data, want) {
			t.Errorf("%q: %v", text, n.Metadata)
		}
	}
}

// Edits of metadata in its own language, and with the types that it has.
func TestTypedEdits(t *testing.T) {
	t.Parallel()
	typed := func(key, value string) doc.Edit { return doc.SetProperty{Key: key, Value: value, Typed: true} }
	written := func(key, value string) doc.Edit { return doc.SetProperty{Key: key, Value: value, Written: true} }
	yaml := func(line string) string { return "---\n" + line + "\n---\n" }
	toml := func(line string) string { return "+++\n" + line + "\n+++\nx\n" }
	for _, c := range []struct {
		source string
		edit   doc.Edit
		want   string // "" where it is refused
	}{
		{yaml("a: false"), typed("a", "true"), yaml("a: true")},
		{yaml("a: x"), typed("a", "true"), yaml(`a: "true"`)},
		{yaml(`a: "x"`), typed("a", "4"), yaml(`a: "4"`)},
		{yaml("a: x"), typed("a", "null"), yaml("a: null")},
		{yaml("a: x"), typed("a", "2026-01-01"), yaml("a: 2026-01-01")},
		{yaml("a: 4.5"), typed("a", "-5.25"), yaml("a: -5.25")},
		{yaml("a: 4.5"), typed("a", "some: x"), yaml(`a: "some: x"`)},
		{yaml("a:"), typed("a", "true"), yaml("a: true")},
		{yaml("a: 2026-01-01T10:00"), typed("a", "2026-02-01T10:00:30+02:00"), yaml("a: 2026-02-01T10:00:30+02:00")},
		{yaml("b: c"), typed("a", "007"), yaml("b: c\na: \"007\"")},
		{yaml("b: c"), typed("a", "yes"), yaml("b: c\na: \"yes\"")},
		{yaml("b: c"), typed("title", "2026"), yaml("b: c\ntitle: \"2026\"")},
		{yaml("b: c"), doc.SetProperty{Key: "a", Value: "true"}, yaml("b: c\na: \"true\"")},
		{yaml("a: x"), written("a", "true"), yaml("a: true")},
		{yaml("b: c"), doc.SetTitle{Title: "2026-11-27"}, yaml("b: c\ntitle: \"2026-11-27\"")},
		{yaml("tags: [a]"), doc.AddTag{Tag: "2026"}, yaml("tags: [a, \"2026\"]")},
		{toml("a = false # c"), typed("a", "true"), toml("a = true # c")},
		{toml("a = 'x'"), typed("a", "it"), toml("a = 'it'")},
		{toml(`a = """x` + "\n" + `y""" # c`), typed("a", "it's"), toml(`a = "it's" # c`)},
		{toml("a = 4"), typed("a", "4.5"), toml("a = 4.5")},
		{toml("a = 'x'"), typed("a", "4.5"), toml("a = '4.5'")},
		{toml("a = 1"), typed("b", "2026-02-01T10:00"), toml("a = 1\nb = 2026-02-01T10:00:00")},
		{toml("a = 1"), typed("b", "null"), ""},
		{toml("a = 1"), typed("b c", "x \"y\""), toml("a = 1\n\"b c\" = \"x \\\"y\\\"\"")},
		{toml("a = 1"), written("b", `{"x": [1, true, "y"]}`), toml("a = 1\nb = {\"x\" = [1, true, \"y\"]}")},
		{toml("a = 1\n[t]\nb = 2"), doc.SetList{Key: "c", Values: []string{"d", "e"}}, toml("a = 1\nc = [\"d\", \"e\"]\n[t]\nb = 2")},
		{toml("[t]\nb = 2"), doc.AddTag{Tag: "x"}, toml("tags = [\"x\"]\n[t]\nb = 2")},
		{toml("[t]\nb = 2\n[t.u]\nc = 3"), doc.RemoveProperty{Key: "t"}, "+++\n+++\nx\n"},
		{toml("[t]\nb = 2"), typed("t", "x"), ""},
		{toml("tags = \"a, b\""), doc.AddTag{Tag: "c"}, toml("tags = \"a, b, c\"")},
		{toml("tags = ['a', \"b\"]"), doc.RemoveTag{Tag: "a"}, toml("tags = [\"b\"]")},
		{toml("title = \"A\""), doc.SetTitle{Title: "B"}, toml("title = \"B\"")},
		{"+++\r\na = 1\r\n+++\r\n", typed("b", "c"), "+++\r\na = 1\r\nb = \"c\"\r\n+++\r\n"},
		{zola, doc.AddTag{Tag: "c"}, zola[:len(zola)-len(zolaAfterTags)] + ",\n  \"c\"" + zolaAfterTags},
		{"{\"a\": 1}\n", typed("b", "true"), "{\"a\": 1,\"b\": true}\n"},
		{"{\"a\":1}\n", typed("a", "null"), "{\"a\":null}\n"},
		{"{\"a\": \"x\"}\n", typed("a", "true"), "{\"a\": \"true\"}\n"},
		{"{}\n", typed("a", "b"), "{\"a\": \"b\"}\n"},
		{hugo, doc.RemoveProperty{Key: "tags"}, "{\n  \"title\": \"Hugo\",\n  \"draft\": false,\n  \"params\": {\"a\": 1}\n}\nBody.\n"},
		{hugo, doc.RemoveProperty{Key: "title"}, "{\n  \"draft\": false,\n  \"params\": {\"a\": 1},\n  \"tags\": [\"one\"]\n}\nBody.\n"},
		{hugo, doc.AddTag{Tag: "t\"w"}, "{\n  \"title\": \"Hugo\",\n  \"draft\": false,\n  \"params\": {\"a\": 1},\n  \"tags\": [\"one\", \"t\\\"w\"]\n}\nBody.\n"},
		{hugo, typed("w", "4.5"), "{\n  \"title\": \"Hugo\",\n  \"draft\": false,\n  \"params\": {\"a\": 1},\n  \"tags\": [\"one\"],\n  \"w\": 4.5\n}\nBody.\n"},
	} {
		codec := markdown.Codec{}
		got, err := codec.Apply(codec.Parse("x.md", []byte(c.source)), "", c.edit)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q, %+v:\n got %q, %v\nwant %q", c.source, c.edit, got, err, c.want)
		}
	}
}

// zolaAfterTags is the text of zola after its last tag.
const zolaAfterTags = ",\n]\n[extra]\ntoc = true\n[extra.deep]\nn = 1.5\n+++\n\nBody [[X]].\n"

// A replacement that touches the metadata gives the texts that it asks for, or is
// refused.
func TestReplaceInFrontmatter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, old, new string
		ok               bool
	}{
		{"---\ntitle: W\n---\n", "W", "it's", true},
		{"---\ntitle: W\n---\n", "W", "a: b", false},
		{"---\ntitle: W\n---\n", "W", "k #c", false},
		{"---\ntitle: W\n---\n", "W", "x\nother: y", false},
		{"---\ntitle: \"W\"\n---\n", "W", "k #c", true},
		{"---\ntitle: \"W\"\n---\n", "W", `a" b`, false},
		{"---\ndraft: false\n---\n", "false", "true", true},
		{"---\nstatus: open\n---\n", "status: open", "status: done", true},
		{"---\ntags: [a, b]\n---\n", "[a, b]", "[a, b, c]", true},
		{"---\ntags: [ab]\n---\n", "ab", "c, d", true}, // a tag has no comma
		{"---\nauthors: [ab]\n---\n", "ab", "c, d", false},
		{"---\nm:\n  a: W\n---\n", "W", "k #c", false},
		{"+++\ntitle = \"W\"\n+++\n", "W", "a\"b", false},
		{"+++\ntitle = \"W\"\n+++\n", "W", "a b", true},
		{"{\"title\": \"W\"}\n", "W", "a\"b", false},
		{"---\na: b\n---\nW\n", "W", "a: b", true},
		{"---\nx: *bad*: y\n---\n", "*bad*: y", "good", true},
	} {
		codec := markdown.Codec{}
		_, err := codec.Apply(codec.Parse("x.md", []byte(c.source)), "", doc.Replace{Old: c.old, New: c.new})
		if (err == nil) != c.ok || err != nil && kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%q, %q by %q: %v", c.source, c.old, c.new, err)
		}
	}
}

func TestTagsInOneString(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"---\ntags: \"a, b\"\n---\n", "---\ntag: a b\n---\n", "+++\ntags = \"a, b\"\n+++\n", "{\"tags\": \"a, b\"}\n"} {
		n := markdown.Codec{}.Parse("x.md", []byte(text)).Nodes[0]
		if len(n.Metadata) != 1 || !slices.Equal(n.Tags, []string{"a", "b"}) || !slices.Equal(n.Metadata[0].Values, []string{"a", "b"}) || len(n.Properties) != 2 {
			t.Errorf("%q: %v, %v, %v", text, n.Tags, n.Metadata, n.Properties)
		}
	}
}
