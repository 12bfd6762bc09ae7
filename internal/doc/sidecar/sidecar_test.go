package sidecar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func source(name, data string) SetSource {
	return SetSource{Name: name, Data: []byte(data), Fetched: noon}
}

func TestParse(t *testing.T) {
	t.Parallel()
	f, err := Parse([]byte(`{"x": 1, "sources": {"a": {"n": 1},
 "b\"\\": [ 1 ]},
 "fetched": {"a": "2026-01-01", "b\"\\": 7},
 "assertions": [
  {"s": "ada"},
  {"s": "bob"}
 ]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sources) != 2 || f.Sources[0].Name != "a" || f.Sources[0].Fetched != "2026-01-01" || f.Sources[1].Name != `b"\` || f.Sources[1].Fetched != "" {
		t.Errorf("sources: %+v", f.Sources)
	}
	if got := string(f.Data(f.Sources[1])); got != "[ 1 ]" {
		t.Errorf("data of the second: %q", got)
	}
	if len(f.Assertions) != 2 || string(f.bytes(f.Assertions[1])) != `{"s": "bob"}` {
		t.Errorf("assertions: %v", f.Assertions)
	}
}

func TestParseSaysTheLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		line       int
	}{
		{"empty", "", 1},
		{"blank", " \n ", 2},
		{"no object", "\n[1]", 1},
		{"ends early", "{\n\"sources\": {", 2},
		{"comma", "{\n\"sources\": {},\n}\n", 3},
		{"more behind", "{}\n{}", 2},
		{"key twice", "{\n\"sources\": {},\n\"sources\": {}}", 3},
		{"source twice", "{\"sources\": {\"a\": 1,\n\n\"a\": 2}}", 3},
		{"sources are a list", "{\n\"sources\": []}", 2},
		{"assertions are an object", "{\n\n\"assertions\": {}}", 3},
		{"assertion is a number", "{\"assertions\": [\n{},\n1]}", 3},
		{"conflict markers", "{\n<<<<<<< ours\n}", 2},
		{"not UTF-8", "{\"a\": \"\xff\"}", 1},
	} {
		_, err := Parse([]byte(test.text))
		if kb.CodeOf(err) != kb.Invalid || Line(err) != test.line {
			t.Errorf("%s: %v, line %d, want line %d", test.name, err, Line(err), test.line)
		}
	}
}

func TestSetSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		edit             SetSource
	}{
		{"none yet", "", "{\n  \"sources\": {\n    \"crm\": {\"n\": 1}\n  },\n  \"fetched\": {\n    \"crm\": \"2026-03-01T12:00:00Z\"\n  }\n}\n", source("crm", " {\"n\": 1}\n")},
		{"another", "{\n\t\"sources\": {\n\t\t\"a\": 1\n\t},\n\t\"fetched\": {\"a\":\"x\"} , \"z\" : null }",
			"{\n\t\"sources\": {\n\t\t\"a\": 1,\n\t\t\"b\": 2\n\t},\n\t\"fetched\": {\"a\":\"x\",\"b\": \"2026-03-01T12:00:00Z\"} , \"z\" : null }", source("b", "2")},
		{"in place", `{"sources":{"a": 1 ,"b":2},"fetched":{"a":"x"}}`, `{"sources":{"a": [3] ,"b":2},"fetched":{"a":"2026-03-01T12:00:00Z"}}`,
			SetSource{Name: "a", Data: []byte("[3]"), Fetched: noon, Overwrite: true}},
		{"beside assertions", "{\"assertions\": [\n  {\"s\": 1}\n]}\n",
			"{\"assertions\": [\n  {\"s\": 1}\n],\"sources\": {\n    \"a\": 1\n  },\"fetched\": {\n    \"a\": \"2026-03-01T12:00:00Z\"\n  }}\n", source("a", "1")},
		{"empty parts", "{\"sources\": {}, \"fetched\": {\n  }}", "{\"sources\": {\"a\": 1}, \"fetched\": {\n    \"a\": \"2026-03-01T12:00:00Z\"\n  }}", source("a", "1")},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text []byte
			if test.text != "" {
				text = []byte(test.text)
			}
			got, err := Apply(text, test.edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestSetSourceRefuses(t *testing.T) {
	t.Parallel()
	full, err := Apply(nil, source("a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	largest := `"` + strings.Repeat("x", MaxData-2) + `"`
	var many strings.Builder
	for i := range kb.MaxSidecar/MaxData - 2 {
		fmt.Fprintf(&many, "%q: %s, ", fmt.Sprint("a", i), largest)
	}
	most, err := Apply([]byte(`{"sources": {`+many.String()+`"last": 1}}`), source("b", largest))
	if err != nil {
		t.Fatal("data of the size that is allowed: ", err)
	}
	for _, test := range []struct {
		name string
		text []byte
		edit SetSource
		code kb.Code
	}{
		{"stored already", full, source("a", "2"), kb.Conflict},
		{"no JSON", full, source("b", "{"), kb.Invalid},
		{"two values", full, source("b", "1 2"), kb.Invalid},
		{"nothing", full, source("b", " "), kb.Invalid},
		{"not UTF-8", full, source("b", "\"\xff\""), kb.Invalid},
		{"too large", full, source("b", `"`+strings.Repeat("x", MaxData)+`"`), kb.Invalid},
		{"too large together", most, source("c", largest), kb.Invalid},
		{"no name", full, source("", "1"), kb.Usage},
		{"blank name", full, source(" b", "1"), kb.Usage},
		{"invisible name", full, source("b\u200b", "1"), kb.Usage},
		{"long name", full, source(strings.Repeat("b", maxName+1), "1"), kb.Usage},
		{"broken file", []byte("{"), source("b", "1"), kb.Invalid},
	} {
		if got, err := Apply(test.text, test.edit); kb.CodeOf(err) != test.code {
			t.Errorf("%s: %v, %.80s", test.name, err, got)
		}
	}
}

// FuzzSetSource holds that an edit of what can be read leaves the other bytes, and
// makes what it says.
func FuzzSetSource(f *testing.F) {
	for _, text := range []string{"{}", "{ }", "{\n}", `{"sources":{"a":1},"fetched":{"a":""},"assertions":[{}]}`, "{\"sources\" : {\r\n}}", `{"a\\\"":{"sources":1}}`} {
		f.Add([]byte(text), "a", []byte(`{"x":[1,2]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte, name string, data []byte) {
		before, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("read what is no JSON: %q", text)
		}
		after, err := Apply(text, SetSource{Name: name, Data: data, Fetched: noon, Overwrite: true})
		if err != nil {
			return
		}
		got, err := Parse(after)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, after, err)
		}
		s, ok := got.Source(name)
		if !ok || !bytes.Equal(got.Data(s), bytes.TrimSpace(data)) || s.Fetched != "2026-03-01T12:00:00Z" {
			t.Fatalf("%q became %q", text, after)
		}
		if len(got.Assertions) != len(before.Assertions) {
			t.Fatalf("%q became %q: assertions", text, after)
		}
		for _, s := range before.Sources {
			now, ok := got.Source(s.Name)
			if !ok || s.Name != name && (!bytes.Equal(got.Data(now), before.Data(s)) || now.Fetched != s.Fetched) {
				t.Fatalf("%q became %q: source %q", text, after, s.Name)
			}
		}
	})
}
