package canvas

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/kb"
)

const board1 = `{
	"nodes": [
		{"id": "n1", "type": "file", "file": "people/Odalys \"O\" Ferrant.md", "subpath": "#Role", "x": 0, "y": 0, "width": 3, "height": 1},
		{"id": "n2", "type": "text", "text": "Ember 2.0?\nSee [[Kiln Log|log]], \u7aaf \ud83d\udd25", "x": 4, "y": 0, "width": 2, "height": 6},
		{"id": "n3", "type": "file", "file": "curve.png", "x": 4, "y": 0, "width": 2, "height": 6},
		{"id": "n4", "type": "link", "url": "https://example.com/cones", "x": 4, "y": 0, "width": 2, "height": 6},
		{"id": "n5", "type": "group", "label": "Firing", "x": 4, "y": 0, "width": 2, "height": 6, "extra": {"deep": [1, "two"]}}
	],
	"edges": [
		{"id": "e1", "fromNode": "n2", "toNode": "n1", "label": "decided by"},
		{"id": "e2", "fromNode": "n1", "toNode": "n2", "label": "no page"}
	]
}
`

var fixtures = []string{
	board1, "", "{}", " \n", "[]", "{", `{"nodes": 3, "edges": [[{}], {"toNode": {}}]}`, `{"nodes":[{"type":"text","text":"\\ \" \u12 "}]}`,
	`{"nodes": [{"id": "a", "type": "file", "file": "/top.md"}, {"id": "a", "type": "file", "file": "a.md", "file": "b.md"}], "x": [[{}]]}`,
	strings.Repeat(`{"nodes":[`, 200), "\x00", "caf\xe9", `{"nodes":[{"type":"text","text":"[[a]] [[b [[c]] \ud83d [["}]}`,
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, text := range fixtures {
		for _, form := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n")} {
			doctest.Identity(t, Codec{}, doctest.Fixture{Path: "boards/Plan.canvas", Source: []byte(form)})
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("boards/Plan.canvas", []byte(board1))
	n := d.Nodes[0]
	if n.Title != "Plan" || n.Type != "canvas" || len(d.Warnings) > 0 {
		t.Errorf("the page is %q of type %q, with %v", n.Title, n.Type, d.Warnings)
	}
	if got, want := d.Reading(n.Truth), "Ember 2.0?\nSee [[Kiln Log|log]], 窯 🔥\nhttps://example.com/cones\nFiring\ndecided by\nno page"; got != want {
		t.Errorf("it reads %q, not %q", got, want)
	}
	words, markup := d.Words(n.Truth)
	if !strings.Contains(words, "窯 🔥") || strings.Contains(words+markup, "nodes") || !strings.Contains(markup, "example.com") {
		t.Errorf("its words are %q, and beside them %q", words, markup)
	}
	var links []string
	for _, l := range n.Links {
		links = append(links, l.Type+" "+l.Name+" #"+l.Heading)
	}
	want := []string{`links_to /people/Odalys "O" Ferrant.md #Role`, `decided by /people/Odalys "O" Ferrant.md #Role`, "links_to Kiln Log #"}
	if !reflect.DeepEqual(links, want) {
		t.Errorf("its links are %q", links)
	}
	if d := (Codec{}).Parse("a.canvas", []byte(`{"nodes": `)); d.Encoding != doc.Opaque || d.Warnings[0].Code != "not-canvas" {
		t.Errorf("what is no JSON is %s, with %v", d.Encoding, d.Warnings)
	}
	if d := (Codec{}).Parse("a.canvas", nil); d.Encoding == doc.Opaque || len(d.Warnings) > 0 {
		t.Errorf("an empty file has %v", d.Warnings)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("boards/Plan.canvas", []byte(board1))
	links := d.Nodes[0].Links
	_, err := Codec{}.Apply(d, "", doc.Retarget{Links: []doc.RetargetOne{
		{At: links[0].NameAt, Raw: "/archive/50%25%20%22O%22.md"}, {At: links[1].NameAt, Raw: "/archive/50%25%20%22O%22.md"},
		{At: links[2].NameAt, Raw: `Kiln "Log"`},
	}})
	want := strings.NewReplacer(`people/Odalys \"O\" Ferrant.md`, `archive/50% \"O\".md`, "[[Kiln Log|", `[[Kiln \"Log\"|`).Replace(board1)
	if kb.CodeOf(err) != kb.Invalid { // its name would have an escape
		t.Errorf("a wikilink with a quotation mark: %v", err)
	}
	out, err := Codec{}.Apply(d, "", doc.Retarget{Links: []doc.RetargetOne{
		{At: links[0].NameAt, Raw: "/archive/50%25%20%22O%22.md"}, {At: links[1].NameAt, Raw: "/archive/50%25%20%22O%22.md"},
		{At: links[2].NameAt, Raw: "Log of Kilns"},
	}})
	want = strings.Replace(want, `Kiln \"Log\"`, "Log of Kilns", 1)
	if err != nil || string(out) != want {
		t.Errorf("other targets: %v\n%s", err, out)
	}
	for _, e := range []doc.Edit{doc.Append{Text: "x"}, doc.SetProperty{Key: "status", Value: "stale"}, doc.SetTitle{Title: "x"}, doc.Replace{Old: "Ember", New: "x"},
		doc.AddRelation{Type: "a", Target: "b"}, doc.AddTag{Tag: "x"}, doc.SetTruth{Text: "x"}} {
		if _, err := (Codec{}).Apply(d, "", e); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%T: %v", e, err)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for body, problem := range map[string]string{
		board1: "",
		`{"nodes":[{"id":"a","type":"text","text":"x","x":0,"y":0,"width":1,"height":1}]}`:                  "",
		`{"nodes":[{"id":"a","type":"text","x":0,"y":0,"width":1,"height":1}]}`:                             "node 1 has no text",
		`{"nodes":[{"id":"a","type":"link","x":0,"y":0,"width":1,"height":1}]}`:                             "node 1 has no url",
		`{"nodes":[{"id":"a","type":"page","x":0,"y":0,"width":1,"height":1}]}`:                             `of the type "page"`,
		`{"nodes":[{"id":"a","type":"group","x":0,"y":0,"width":1}]}`:                                       "needs x, y, width and height",
		`{"nodes":[{"type":"group","x":0,"y":0,"width":1,"height":1}]}`:                                     "has no id",
		`{"nodes":[{"id":"a","type":"file","file":"a.md","subpath":"b","x":0,"y":0,"width":1,"height":1}]}`: "subpath",
		`{"nodes":[],"edges":[{"id":"e","fromNode":"a","toNode":"b"}]}`:                                     "not there",
		`{"nodes":{}}`: "has invalid JSON",
		`{"nodes":[{"id":"a","type":"group","x":0,"y":0,"width":1,"height":1},{"id":"a","type":"group","x":0,"y":0,"width":1,"height":1}]}`:      "two nodes",
		`{"nodes":[{"id":"a","type":"group","x":0,"y":0,"width":1,"height":1}],"edges":[{"id":"e","fromNode":"a","toNode":"a","toEnd":"x"}]}`:    "neither none nor arrow",
		`{"nodes":[{"id":"a","type":"group","x":0,"y":0,"width":1,"height":1}],"edges":[{"id":"e","fromNode":"a","toNode":"a","fromSide":"x"}]}`: "a side other than top",
	} {
		out, err := Codec{}.New(doc.NewPage{Body: body})
		switch {
		case problem == "" && (err != nil || !bytes.HasSuffix(out, []byte("}\n")) || bytes.Count(out, []byte("\n")) < 5):
			t.Errorf("%s gives %s, %v", body, out, err)
		case problem != "" && (kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), problem)):
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := (Codec{}).New(doc.NewPage{Title: "x", Body: "{}"}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a title: %v", err)
	}
}

// Whatever a file holds: it is given back, and what it says of itself fits the text.
func FuzzCanvas(f *testing.F) {
	for _, text := range fixtures {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		d := doctest.Identity(t, Codec{}, doctest.Fixture{Path: "a.canvas", Source: source})
		var edit doc.Retarget
		for _, l := range d.Nodes[0].Links {
			raw := "New name"
			if l.Kind == doc.MarkLink {
				raw = "/new/name%20%25.md"
			}
			edit.Links = append(edit.Links, doc.RetargetOne{At: l.NameAt, Raw: raw})
		}
		if len(edit.Links) == 0 {
			return
		}
		out, err := Codec{}.Apply(d, "", edit)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range (Codec{}).Parse("a.canvas", out).Nodes[0].Links {
			if l.Name != "New name" && l.Name != "/new/name %.md" {
				t.Errorf("a link leads to %q", l.Name)
			}
		}
	})
}
