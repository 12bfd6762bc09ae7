package org

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestReadItem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line    string
		text    string
		depth   int
		checked byte
	}{
		{"- a b", "a b", 0, 0},
		{"  + a", "a", 2, 0},
		{"\t* a", "a", 8, 0},
		{"1. a", "a", 0, 0},
		{"12) a", "a", 0, 0},
		{"a. b", "b", 0, 0},
		{"Z) b", "b", 0, 0},
		{"3. [@3] a", "a", 0, 0},
		{"- [ ] a", "a", 0, ' '},
		{"- [ ]", "", 0, ' '},
		{"- [X] a", "a", 0, 'x'},
		{"- [x] a", "a", 0, 'x'},
		{"- [-] a", "a", 0, '-'},
		{"- [c] a", "[c] a", 0, 0},
		{"- [ ]a", "[ ]a", 0, 0},
		{"-", "", 0, 0},
	} {
		it, ok := readItem([]byte(c.line))
		if !ok || it.text != c.text || it.depth != c.depth || it.checked != c.checked || c.line[it.at:it.at+len(it.text)] != it.text {
			t.Errorf("%q: %v %+v", c.line, ok, it)
		}
	}
	for _, line := range []string{"", "a", "-a", "* a", "1 a", "1.a", "ab. c", "1234567890. a", "--"} {
		if it, ok := readItem([]byte(line)); ok {
			t.Errorf("%q is an item: %+v", line, it)
		}
	}
}

func TestReadObservation(t *testing.T) {
	t.Parallel()
	if o, ok := readObservation("[fact] text #tag (why)"); !ok || o.Category != "fact" || o.Text != "text" || o.Tags[0] != "tag" || o.Context != "why" {
		t.Errorf("%+v", o)
	}
	for _, s := range []string{"[2026-03-01 Sun] x", "[1/2] x", "[50%] x", "[fn:1] x", "[cite:@key] x", "[cite/t:@key] x", "[[a]] x", "[a](b) x", "text"} {
		if o, ok := readObservation(s); ok {
			t.Errorf("%q is an observation: %+v", s, o)
		}
	}
}

func TestReadRelation(t *testing.T) {
	t.Parallel()
	r, ok := readRelation("works_at [[id:9f][Brex]] @2017..2026-03-01 (co)", 10)
	if !ok || r.Type != "works_at" || r.Target.Kind != doc.OrgID || r.Target.Name != "9f" || r.From != "2017" || r.Until != "2026-03-01" || r.Context != "co" ||
		r.Target.Span != (doc.Span{Start: 19, End: 34}) {
		t.Errorf("%v %+v", ok, r)
	}
	if r, ok := readRelation("SUPERSEDES [[Old]]", 0); !ok || r.Type != "supersedes" {
		t.Errorf("%v %+v", ok, r)
	}
	if r, ok := readRelation("works_at [[Brex]] @2017.. (co) [[https://x.org][Source: call]] [Source: mail]", 0); !ok || r.From != "2017" ||
		r.Context != "co [[https://x.org][Source: call]] [Source: mail]" {
		t.Errorf("%v %+v", ok, r)
	}
	for _, s := range []string{"[[a]]", "a [[b]] [[https://x.org][see]]", "see [[a]] for more", "a, b [[c]]", "type [[https://x.y]]", "type [[a", "=code [[a]]="} {
		if r, ok := readRelation(s, 0); ok {
			t.Errorf("%q is a relation: %+v", s, r)
		}
	}
}

func TestReadEntry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want doc.Entry
	}{
		{"[2026-03-01 So] | meeting — met", doc.Entry{Date: "2026-03-01", Source: "meeting", Text: "met"}},
		{"[2026-03-01 Sun 10:30-11:00] met", doc.Entry{Date: "2026-03-01T10:30", Text: "met"}},
		{"<2026-03-01 +1w>--<2026-03-02> met", doc.Entry{Date: "2026-03-01", Text: "met"}},
		{"2026-03 — met", doc.Entry{Date: "2026-03", Text: "met"}},
		{"*2026-03-01* | a — b", doc.Entry{Date: "2026-03-01", Source: "a", Text: "b"}},
	} {
		if e, ok := readEntry(c.line); !ok || e != c.want {
			t.Errorf("%q: %v %+v", c.line, ok, e)
		}
	}
	for _, s := range []string{"", "text", "[2026-13-01] x", "[fact] x", "[2026-03-01]x", "2026 was a year"} {
		if e, ok := readEntry(s); ok {
			t.Errorf("%q is an entry: %+v", s, e)
		}
	}
}
