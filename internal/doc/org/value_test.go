package org

import (
	"slices"
	"testing"
)

func TestReadValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, text string
		values    []string
		list      bool
	}{
		{"note", "plain text", []string{"plain text"}, false},
		{"note", "", nil, false},
		{"note", "[2026-05-24 Sun]", []string{"2026-05-24"}, false},
		{"note", "<2026-05-24 So 9:05>", []string{"2026-05-24T09:05"}, false},
		{"note", "[2026-05-24 Sun] and more", []string{"[2026-05-24 Sun] and more"}, false},
		{"title", "[2026-05-24 Sun]", []string{"[2026-05-24 Sun]"}, false},
		{"projects", ":general:", []string{"general"}, true},
		{"projects", ":a:b: :c:", []string{"a", "b", "c"}, true},
		{"projects", ":a b:", []string{":a b:"}, false},
		{"note", `"a b" "c \"d\" \\"`, []string{"a b", `c "d" \`}, true},
		{"note", `"a" b`, []string{`"a" b`}, false},
		{"summary", `"a"`, []string{`"a"`}, false},
		{"confidence", "observed ; a | b", []string{"observed ; a | b"}, false},
		{"aliases", `"a b" c`, []string{"a b", "c"}, true},
		{"aliases", "", nil, true},
		{"tags", ":a:b:", []string{"a", "b"}, true},
		{"tags", "a b,c", []string{"a", "b", "c"}, true},
	} {
		values, list := readValue(c.key, c.text)
		if !slices.Equal(values, c.values) || list != c.list {
			t.Errorf("readValue(%q, %q) = %q, %v", c.key, c.text, values, list)
		}
	}
}

func TestWriteList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, old string
		values   []string
		want     string
	}{
		{"x", "", []string{"a", "b c", `d "e" \`}, `"a" "b c" "d \"e\" \\"`},
		{"x", ":p:q:", []string{"a", "b"}, ":a:b:"},
		{"x", ":p: :q:", []string{"a", "b"}, ":a: :b:"},
		{"x", ":p:", []string{"a b"}, `"a b"`},
		{"aliases", "", []string{"a", "b c", ""}, `a "b c" ""`},
	} {
		got := writeList(c.key, c.old, c.values)
		if got != c.want {
			t.Errorf("writeList(%q, %q) = %s, want %s", c.old, c.values, got, c.want)
		}
		if back, list := readValue(c.key, got); !list || !slices.Equal(back, c.values) {
			t.Errorf("%s reads back as %q", got, back)
		}
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, iso, want string }{
		{"[2020-01-01 Wed]", "2026-03-01", "[2026-03-01 Sun]"},
		{"<2020-01-01 Wed>", "2026-03-01", "<2026-03-01 Sun>"},
		{"[2020-01-01 Wed]", "2026-03-01T10:30", "[2026-03-01 Sun 10:30]"},
		{"[2020-01-01 Wed]", "2026-03", "2026-03"},
		{"[2020-01-01 Wed]", "no date", "no date"},
		{"2020-01-01", "2026-03-01", "2026-03-01"},
		{"", "2026-03-01", "2026-03-01"},
	} {
		if got := stampLike(c.old, c.iso); got != c.want {
			t.Errorf("stampLike(%q, %q) = %q, want %q", c.old, c.iso, got, c.want)
		}
	}
}
