package bases

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/kb"
)

const active = `filters:
  and:
    - file.inFolder("plans/projects")
    - state != "archived"
views:
  - type: table
    name: Active [[projects]]
    order: [file.name, state]
`

var fixtures = []string{
	active, "", "# only a comment\n", " \n", "- a\n", "a: [b\n", "a: 1\n---\nb: 2\n", "text\n", "a: &x [*x]\n", "{a: 1}",
	"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", strings.Repeat("[", 5000), "\x00", "caf\xe9: 1\n", "\t: a\n",
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, text := range fixtures {
		for _, form := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n")} {
			doctest.Identity(t, Codec{}, doctest.Fixture{Path: "plans/_active.base", Source: []byte(form)})
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("plans/projects/_active.base", []byte(active))
	n := d.Nodes[0]
	if n.Title != "_active" || n.Type != Type || len(d.Warnings)+len(n.Links) > 0 || d.Encoding != doc.UTF8 {
		t.Errorf("the page is %q of type %q in %s, with %v, %v", n.Title, n.Type, d.Encoding, d.Warnings, n.Links)
	}
	if words, markup := d.Words(n.Truth); words+markup != "" {
		t.Errorf("it is searched by %q and %q", words, markup)
	}
	for text, why := range map[string]string{
		"- a\n": "not a map", "a: [b\n": "cannot be read", "a: 1\n---\nb: 2\n": "more than one", "text\n": "not a map",
	} {
		if d := (Codec{}).Parse("a.base", []byte(text)); d.Encoding != doc.Opaque || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0].Text, why) {
			t.Errorf("%q is %s, with %v", text, d.Encoding, d.Warnings)
		}
	}
	for _, text := range []string{"", "# only a comment\n", "{a: 1}"} {
		if d := (Codec{}).Parse("a.base", []byte(text)); d.Encoding == doc.Opaque || len(d.Warnings) > 0 {
			t.Errorf("%q has %v", text, d.Warnings)
		}
	}
}

func TestNoEdits(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("a.base", []byte(active))
	for _, e := range []doc.Edit{doc.Append{Text: "x"}, doc.SetProperty{Key: "status", Value: "stale"}, doc.SetTitle{Title: "x"},
		doc.Replace{Old: "state", New: "x"}, doc.AddRelation{Type: "a", Target: "b"}, doc.AddTag{Tag: "x"}, doc.SetTruth{Text: "x"}} {
		if _, err := (Codec{}).Apply(d, "", e); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%T: %v", e, err)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, body := range []string{active, "a: 1", ""} {
		out, err := Codec{}.New(doc.NewPage{Body: body})
		if err != nil || strings.TrimSuffix(string(out), "\n") != strings.TrimSuffix(body, "\n") {
			t.Errorf("%q gives %q, %v", body, out, err)
		}
	}
	for _, p := range []doc.NewPage{{Body: "- a"}, {Body: "a: [b"}, {Title: "x", Body: "a: 1"}, {Body: "a: 1", Tags: []string{"x"}}} {
		if _, err := (Codec{}).New(p); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

func FuzzBase(f *testing.F) {
	for _, text := range fixtures {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		doctest.Identity(t, Codec{}, doctest.Fixture{Path: "a.base", Source: source})
	})
}
