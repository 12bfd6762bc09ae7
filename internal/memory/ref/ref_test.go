package ref

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

func TestEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"log", "log", 1, 0}, {"lgo", "log", 1, 1}, {"tst", "test", 1, 1}, {"kitten", "sitting", 5, 3},
		{"abc", "xyz", 1, 2}, {"a", "abcdef", 2, 3}, {"ab", "ba", 2, 1}, {"", "abc", 3, 3},
	} {
		if got := edits(tc.a, tc.b, tc.limit); got != tc.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// Whatever is typed is read as one kind of ref, of a space that there is.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{
		"", " ", "log", "notes:log", "Notes:a/b.md", "nowhere:log", "notes:", "::", "kb-1a2b", "KB-1A", "kb-", "memory://pages/a%20b", "memory://%zz",
		"7c9e6679-7425-40de-944b-e07fc1f90ae7", "ai-kb: Title (7c9e6679-7425-40de-944b-e07fc1f90ae7)", "ai-kb: (7c9e6679742540de944be07fc1f90ae7)",
		"ai-kb: x (------------------------------------)", "\xff\xfe", "notes:\x00", "a\nb",
	} {
		f.Add(s)
	}
	spaces := []kb.Space{{Name: "notes"}, {Name: "mem"}}
	f.Fuzz(func(t *testing.T, raw string) {
		r := Parse(raw, spaces)
		if r.raw != raw || r.Space != "" && !slices.Contains(space.NamesOf(spaces), r.Space) || r.ID != "" && r.Prefix != "" || r.Space != "" && r.Name == "" {
			t.Errorf("%q is read as %+v", raw, r)
		}
		if _, ok := kb.ParseID(string(r.ID)); r.ID != "" && !ok {
			t.Errorf("%q has the id %q", raw, r.ID)
		}
		if strings.Trim(r.Prefix, "0123456789abcdef") != "" {
			t.Errorf("%q has the prefix %q", raw, r.Prefix)
		}
	})
}

func TestReadsAsText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		"two words here.": true, " Who wrote it? ": true, "He said: \"yes.\"": true, "*It works!*": true, "a list:": true, "and so on…": true,
		"one line\nand another": true, "これはメモです。": true, "«Oui, oui.» ": true,
		"": false, "a": false, "ideas/cairn": false, "notes:log": false, "Ada Lovelace": false, "two words": false, "minutes of 3.5.md": false,
		"one.": false, "v1.2.": false, "Ruby (language)": false, "C++ notes": false, "Inc.": false, "ai-kb: Title (7c9e6679-7425-40de-944b-e07fc1f90ae7)": false,
	} {
		if got := ReadsAsText(raw); got != want {
			t.Errorf("%q: %t", raw, got)
		}
	}
}
