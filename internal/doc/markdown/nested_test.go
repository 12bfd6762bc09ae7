package markdown

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// TestNestedEdits: a key with dots reaches into the maps of frontmatter, in the language
// and form that each is written in, and leaves all other bytes.
func TestNestedEdits(t *testing.T) {
	t.Parallel()
	const yamlPage = "---\ntitle: T\nparams: # of the theme\n  x: 1\n  deep:\n    y: [a, \"one, two\"]\n    # above z\n    z: 'it''s'\n  last: word # why\nflow: {a: 1, b: \"x, y\", c: {d: [1, 2]}}\nnone:\nafter: yes\n---\ntext\n"
	const tomlPage = "+++\ntitle = \"T\"\nsite.name = \"N\"\ninline = {a = 1, b = \"x, y\", c = {d = [1, 2]}}\n\n[extra]\ntoc = true # keep\n\n[extra.more]\nk = 'v'\n\n[[menu.main]]\nw = 1\n[taxonomies]\ntags = [\"a\"]\n+++\ntext\n"
	const jsonPage = "{\n \"title\": \"T\",\n \"params\": {\"x\": 1, \"deep\": {\"y\": \"z\"}},\n \"empty\": {}\n}\ntext\n"
	set := func(key, value string) doc.Edit { return doc.SetProperty{Key: key, Value: value, Typed: true} }
	unset := func(key string) doc.Edit { return doc.RemoveProperty{Key: key} }
	for _, c := range []struct {
		name, page string
		edit       doc.Edit
		old, new   string
	}{
		{"scalar", yamlPage, set("params.x", "2"), "x: 1\n", "x: 2\n"},
		{"typed", yamlPage, set("params.x", "true"), "x: 1\n", "x: true\n"},
		{"comment stays", yamlPage, set("params.last", "other"), "last: word #", "last: other #"},
		{"quotation marks stay", yamlPage, set("params.deep.z", "its"), "z: 'it''s'", "z: 'its'"},
		{"new key", yamlPage, set("params.new", "4"), "last: word # why\n", "last: word # why\n  new: 4\n"},
		{"new key below", yamlPage, set("params.deep.new", "w"), "'it''s'\n", "'it''s'\n    new: w\n"},
		{"new map", yamlPage, set("params.m.n", "w"), "why\n", "why\n  m: {n: w}\n"},
		{"comment below a block scalar", "---\nh:\n  u: >-\n    a\n\n    b\n  # of v\n  v: 1\n---\n", set("h.u", "x"), ">-\n    a\n\n    b\n", "x\n"},
		{"comment in between below a block scalar", "---\nh:\n  u: |\n      a\n      # text\n   # of v\n  v: 1\n---\n", set("h.u", "x"), "|\n      a\n      # text\n", "x\n"},
		{"comment at the end", "---\nh:\n  u: |\n    a\n  # end\n---\n", set("h.u", "x"), "|\n    a\n", "x\n"},
		{"comment below a list", "---\nh:\n  u:\n    - a\n  # of v\n  v: 1\n---\n", set("h.u", "x"), "u:\n    - a\n", "u: x\n"},
		{"unset above a comment", "---\nh:\n  u: |\n    a\n  # of v\n  v: 1\n---\n", unset("h.u"), "  u: |\n    a\n", ""},
		{"unset", yamlPage, unset("params.x"), "  x: 1\n", ""},
		{"unset map", yamlPage, unset("params.deep"), "  deep:\n    y: [a, \"one, two\"]\n    # above z\n    z: 'it''s'\n", ""},
		{"absent", yamlPage, unset("params.nope.x"), "", ""},
		{"list", yamlPage, doc.SetList{Key: "params.deep.y", Values: []string{"one, two", "b"}}, `[a, "one, two"]`, `["one, two", b]`},
		{"new list", yamlPage, doc.SetList{Key: "params.l", Values: []string{"b", "c"}}, "why\n", "why\n  l: [b, c]\n"},
		{"braces", yamlPage, set("flow.a", "2"), "{a: 1", "{a: 2"},
		{"braces text", yamlPage, set("flow.b", "p, q"), `"x, y"`, `"p, q"`},
		{"braces deep", yamlPage, set("flow.c.e", "k, l"), "[1, 2]}", `[1, 2], e: "k, l"}`},
		{"braces first", yamlPage, unset("flow.a"), "{a: 1, b", "{b"},
		{"braces last", yamlPage, unset("flow.c"), ", c: {d: [1, 2]}", ""},
		{"braces only", yamlPage, unset("flow.c.d"), "{d: [1, 2]}", "{}"},
		{"null", yamlPage, set("none.a", "x"), "none:\n", "none: {a: x}\n"},
		{"a key of that name", "---\nparams.x: 1\nparams:\n  x: 2\n---\n", set("params.x", "3"), "params.x: 1", "params.x: 3"},
		{"no map", "---\na: 1\n---\n", set("v1.0", "x"), "a: 1\n", "a: 1\nv1.0: x\n"},
		{"map of a site", "---\na: 1\n---\n", set("params.toc", "false"), "a: 1\n", "a: 1\nparams:\n  toc: false\n"},
		{"of tables", tomlPage, set("extra.toc", "false"), "toc = true #", "toc = false #"},
		{"new in a table", tomlPage, set("extra.q", "4"), "# keep\n", "# keep\nq = 4\n"},
		{"table below", tomlPage, set("extra.more.k", "w"), "'v'", "'w'"},
		{"new in a table below", tomlPage, set("extra.more.l", "w"), "'v'\n", "'v'\nl = \"w\"\n"},
		{"unset in a table", tomlPage, unset("extra.toc"), "toc = true # keep\n", ""},
		{"unset a table below", tomlPage, unset("extra.more"), "[extra.more]\nk = 'v'\n\n", ""},
		{"dots", tomlPage, set("site.name", "M"), `"N"`, `"M"`},
		{"new with dots", tomlPage, set("site.url", "u"), "\"N\"\n", "\"N\"\nsite.url = \"u\"\n"},
		{"inline table", tomlPage, set("inline.b", "z"), `"x, y"`, `"z"`},
		{"new in an inline table", tomlPage, set("inline.c.e", "k"), "[1, 2]}", `[1, 2], e = "k"}`},
		{"unset in an inline table", tomlPage, unset("inline.b"), `b = "x, y", `, ""},
		{"no table", "+++\ntitle = \"T\"\n+++\n", set("extra.toc", "true"), "\"T\"\n", "\"T\"\nextra.toc = true\n"},
		{"JSON", jsonPage, set("params.x", "2"), `"x": 1`, `"x": 2`},
		{"JSON deep", jsonPage, set("params.deep.w", "v"), `"y": "z"`, `"y": "z","w": "v"`},
		{"JSON unset", jsonPage, unset("params.x"), `"x": 1, `, ""},
		{"JSON only", jsonPage, unset("params.deep.y"), `"y": "z"`, ""},
		{"JSON empty", jsonPage, set("empty.a", "b"), `{}`, `{"a": "b"}`},
		{"JSON map of a site", "{\n \"title\": \"T\"\n}\n", set("params.a", "b"), "\"T\"", "\"T\",\n \"params\": {\"a\": \"b\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codec Codec
			got, err := codec.Apply(codec.Parse("p.md", []byte(c.page)), "", c.edit)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(c.page, c.old, c.new, 1); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	for name, page := range map[string]string{
		"anchor":          "---\nparams: &a\n  x: 1\nb: *a\n---\n",
		"one of several":  "+++\n[[params]]\nx = 1\n+++\n",
		"alias in braces": "---\na: &a {y: 1}\nparams: {<<: *a, x: 1}\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			var codec Codec
			got, err := codec.Apply(codec.Parse("p.md", []byte(page)), "", set("params.x", "2"))
			if err == nil && !strings.Contains(string(got), "x: 2") || err != nil && kb.CodeOf(err) != kb.Invalid {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// TestNoKeyTwice: a key below one whose value is no map is refused, as the map for it would
// be that key a second time.
func TestNoKeyTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, key string }{
		"scalar":           {"---\nextra:\n  a: 1\n---\n", "extra.a.b"},
		"list":             {"---\nextra:\n  a: [x]\n---\n", "extra.a.b"},
		"list of maps":     {"---\nextra:\n  a:\n    - c: 1\n---\n", "extra.a.b"},
		"two below":        {"---\nextra:\n  a: 1\n---\n", "extra.a.b.c"},
		"deep":             {"---\nextra:\n  m:\n    a: 1\n---\n", "extra.m.a.b"},
		"braces":           {"---\nextra: {a: 1}\n---\n", "extra.a.b"},
		"other map":        {"---\nh:\n  a: 1\n---\n", "h.a.b"},
		"at the top":       {"---\nextra: 1\n---\n", "extra.a"},
		"TOML":             {"+++\n[extra]\na = 1\n+++\n", "extra.a.b"},
		"TOML braces":      {"+++\nextra = {a = 1}\n+++\n", "extra.a.b"},
		"JSON":             {"{\n \"extra\": {\"a\": 1}\n}\n", "extra.a.b"},
		"JSON at the top":  {"{\n \"extra\": 1\n}\n", "extra.a"},
		"JSON, no null":    {"{\n \"extra\": null\n}\n", "extra.a"},
		"JSON, two levels": {"{\n \"extra\": {\"a\": [1]}\n}\n", "extra.a.b.c"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			var codec Codec
			page := strings.ReplaceAll(c.page, "\n", eol)
			for _, edit := range []doc.Edit{
				doc.SetProperty{Key: c.key, Value: "1", Typed: true},
				doc.SetProperty{Key: c.key, Value: "[1]", Written: true},
				doc.SetList{Key: c.key, Values: []string{"1"}},
			} {
				got, err := codec.Apply(codec.Parse("p.md", []byte(page)), "", edit)
				if kb.CodeOf(err) != kb.Invalid {
					t.Errorf("%s %q: %v\n%s", name, eol, err, got)
				}
			}
		}
	}
	var codec Codec
	page := "---\nextra:\n  a: 1\n  a.b: {c: 1}\n---\n"
	got, err := codec.Apply(codec.Parse("p.md", []byte(page)), "", doc.SetProperty{Key: "extra.a.b.d", Value: "2", Typed: true})
	if want := strings.Replace(page, "c: 1}", "c: 1, d: 2}", 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
