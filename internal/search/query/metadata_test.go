package query

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestMetadata(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"stage":"design"}`:                               "where:stage=design",
		`{"stage":"in use"}`:                               `where:"stage=in use"`,
		`{"n":2, "build.tool":"make"}`:                     "where:build.tool=make where:n=2",
		`{"n":12345678901234567890, "m":2.50}`:             "where:m=2.50 where:n=12345678901234567890",
		`{"draft":true}`:                                   "where:draft=true",
		`{"stage":null}`:                                   "-where:stage",
		`{"tags":["a","b c"]}`:                             `where:tags=a where:"tags=b c"`,
		`{"n":{"$gt":2}}`:                                  "where:n>2",
		`{"n":{"$gte":2,"$lt":5}}`:                         "where:n>=2 where:n<5",
		`{"n":{"$lte":-1.5}}`:                              "where:n<=-1.5",
		`{"n":{"$eq":1},"m":{"$ne":"x"}}`:                  "where:m!=x where:n=1",
		`{"stage":{"$in":["design","in, use"]}}`:           `where:"stage $in design, in\, use"`,
		`{"due":{"$between":["2026-01-01","2026-02-01"]}}`: `where:"due $between 2026-01-01, 2026-02-01"`,
		` {"a":"b"} `:                                      "where:a=b",
		`{}`:                                               "",
	} {
		filters, err := Metadata(text)
		if got := filtersText(filters); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	many := make([]string, maxValues+1)
	for i := range many {
		many[i] = `"x"`
	}
	for _, text := range []string{
		"", "x", "[]", "null", `{"a":1} {}`, `{"":1}`, `{"a=b":1}`, `{"a":""}`, `{"a":"\""}`, `{"a":[]}`, `{"a":[null]}`, `{"a":[["b"]]}`, `{"a":{}}`,
		`{"a":{"$near":1}}`, `{"a":{"b":1}}`, `{"a":{"$gt":[1]}}`, `{"a":{"$gt":null}}`, `{"a":{"$in":1}}`, `{"a":{"$in":[]}}`, `{"a":{"$between":[1]}}`,
		`{"a":{"$between":[1,2,3]}}`, `{"a":{"$between":1}}`, `{"a":{"$in":[` + strings.Join(many, ",") + `]}}`, `{"a":[` + strings.Join(many[:maxFilters+1], ",") + `]}`,
	} {
		if filters, err := Metadata(text); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %s, %v", text, filtersText(filters), err)
		}
	}
}

func filtersText(filters []Filter) string {
	var out []string
	for _, f := range filters {
		out = append(out, f.String())
	}
	return strings.Join(out, " ")
}

// What a filter of metadata asks for is a condition like any other.
func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, `{"a":{"$in":["x,y","z\\\\"]}}`, `{"a b":{"$between":[1,"2"]}}`, `{"a":null,"b":[true]}`, `{"a":{"$gt":1e3}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filters, err := Metadata(text)
		if err != nil && kb.CodeOf(err) != kb.Usage {
			t.Fatal(err)
		}
		for _, x := range filters {
			if _, _, _, ok := ParseWhere(x.Value); !ok {
				t.Errorf("%s: %q is no condition", text, x.Value)
			}
		}
	})
}

func FuzzValues(f *testing.F) {
	f.Add("a", "b,c", `\`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := slices.DeleteFunc([]string{strings.TrimSpace(a), strings.TrimSpace(b), strings.TrimSpace(c)}, func(s string) bool { return s == "" })
		text := strings.TrimPrefix(several("k", signIn, want), "k $in ")
		if got := Values(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	})
}

func TestValuesOfJSON(t *testing.T) {
	t.Parallel()
	list := []string{`a\`, "b, c", ","}
	text, _ := json.Marshal(map[string]any{"k": map[string]any{"$in": list}})
	filters, err := Metadata(string(text))
	if err != nil || len(filters) != 1 {
		t.Fatal(filters, err)
	}
	if _, _, value, _ := ParseWhere(filters[0].Value); !slices.Equal(Values(value), list) {
		t.Errorf("%q", value)
	}
}
