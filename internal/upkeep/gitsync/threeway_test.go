package gitsync

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/git"
)

// files reads "a=1 b=2": what stands at paths.
func files(text string) map[string]git.Entry {
	out := map[string]git.Entry{}
	for _, f := range strings.Fields(text) {
		path, id, _ := strings.Cut(f, "=")
		out[path] = git.Entry{Mode: "100644", ID: id}
	}
	return out
}

func differ(from, to map[string]git.Entry) map[string]git.Difference {
	out := map[string]git.Difference{}
	for _, all := range []map[string]git.Entry{from, to} {
		for path := range all {
			if from[path] != to[path] {
				out[path] = git.Difference{From: from[path], To: to[path]}
			}
		}
	}
	return out
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, base, ours, theirs string
		oursMoved, theirsMoved   map[string]string
		unsure                   string
		choose                   map[string]choice
		entries, merges, clashes string
	}{
		{name: "nothing", base: "a=1", ours: "a=1", theirs: "a=1"},
		{name: "only ours", base: "a=1", ours: "a=2 b=1", theirs: "a=1"},
		{name: "only theirs", base: "a=1 c=1", ours: "a=1 c=1", theirs: "a=2 b=1", entries: "a=2 b=1 c="},
		{name: "the same", base: "a=1", ours: "a=2", theirs: "a=2"},
		{name: "both", base: "a=1", ours: "a=2", theirs: "a=3", merges: "a:1:2:3"},
		{name: "both added", base: "", ours: "a=2", theirs: "a=3", clashes: "a"},
		{name: "both added a sidecar", base: "a.org=1", ours: "a.org=1 .raw/a.json=2", theirs: "a.org=1 .raw/a.json=3", merges: ".raw/a.json::2:3"},
		{name: "both added the same", base: "", ours: "a=2", theirs: "a=2"},
		{name: "removed here", base: "a=1", ours: "", theirs: "a=3", clashes: "a"},
		{name: "removed there", base: "a=1", ours: "a=2", theirs: "", clashes: "a"},
		{name: "removed on both sides", base: "a=1", ours: "", theirs: ""},
		{name: "moved here, edited there", base: "a=1", ours: "b=2", theirs: "a=3", oursMoved: map[string]string{"a": "b"}, merges: "b:1:2:3"},
		{name: "moved there, edited here", base: "a=1", ours: "a=2", theirs: "b=3", theirsMoved: map[string]string{"a": "b"}, merges: "b:1:2:3"},
		{name: "moved there alone", base: "a=1", ours: "a=1", theirs: "b=1", theirsMoved: map[string]string{"a": "b"}, entries: "a= b=1"},
		{name: "moved to one place on both sides", base: "a=1", ours: "b=2", theirs: "b=3", oursMoved: map[string]string{"a": "b"}, theirsMoved: map[string]string{"a": "b"}, merges: "b:1:2:3"},
		{name: "moved to two places", base: "a=1", ours: "b=1", theirs: "c=1", oursMoved: map[string]string{"a": "b"}, theirsMoved: map[string]string{"a": "c"}, clashes: "b"},
		{name: "moved here, removed there", base: "a=1", ours: "b=1", theirs: "", oursMoved: map[string]string{"a": "b"}, clashes: "b"},
		{name: "removed here, moved there", base: "a=1", ours: "", theirs: "b=1", theirsMoved: map[string]string{"a": "b"}, clashes: "b"},
		{name: "moved there to a place that is taken", base: "a=1", ours: "a=2 b=5", theirs: "b=3", theirsMoved: map[string]string{"a": "b"}, clashes: "b"},
		{name: "moved here to a place that is taken there", base: "a=1", ours: "b=2", theirs: "a=3 b=5", oursMoved: map[string]string{"a": "b"}, clashes: "b"},
		{name: "moved alone to a place that is taken", base: "a=1", ours: "a=1 b=5", theirs: "b=1", theirsMoved: map[string]string{"a": "b"}, entries: "a=", clashes: "b"},
		{name: "ours", base: "a=1 b=1", ours: "a=2 b=1", theirs: "a=3 b=2", choose: map[string]choice{"a": takeOurs, "b": takeOurs}},
		{name: "theirs", base: "a=1 b=1 c=1", ours: "a=2 c=1", theirs: "a=3 b=1 c=1", choose: map[string]choice{"a": takeTheirs, "b": takeTheirs}, entries: "a=3 b=1"},
		{name: "theirs, which is removed", base: "a=1", ours: "a=2", theirs: "", choose: map[string]choice{"a": takeTheirs}, entries: "a="},
		{name: "theirs, which moved", base: "a=1", ours: "a=2", theirs: "b=3", theirsMoved: map[string]string{"a": "b"}, choose: map[string]choice{"b": takeTheirs}, entries: "a= b=3"},
		{name: "ours, which moved", base: "a=1", ours: "b=2", theirs: "a=3", oursMoved: map[string]string{"a": "b"}, choose: map[string]choice{"a": takeOurs}},
		{name: "several ancestors", base: "a=1 b=1 c=1", ours: "a=2 b=1 c=1", theirs: "a=1 b=2 c=2", unsure: "a b", entries: "c=2", clashes: "a b"},
		{name: "a file there, a directory here", base: "", ours: "a/b=1", theirs: "a=1", entries: "a=1", clashes: "a"},
		{name: "a directory there, a file here", base: "", ours: "a=1", theirs: "a/b=1", entries: "a/b=1", clashes: "a/b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base, ours, theirs := files(tc.base), files(tc.ours), files(tc.theirs)
			s := sides{ours: differ(base, ours), theirs: differ(base, theirs), oursMoved: tc.oursMoved, theirsMoved: tc.theirsMoved, choices: tc.choose, unsure: map[string]bool{}}
			for _, path := range strings.Fields(tc.unsure) {
				s.unsure[path] = true
			}
			got := s.plan()
			var entries, merges, clashes []string
			for _, path := range slices.Sorted(maps.Keys(got.entries)) {
				entries = append(entries, path+"="+got.entries[path].ID)
			}
			for _, m := range got.merges {
				merges = append(merges, strings.Join([]string{m.to, m.base.ID, m.ours.ID, m.theirs.ID}, ":"))
			}
			for _, c := range got.clashes {
				if c.why == "" {
					t.Errorf("%s clashes without a reason", c.to)
				}
				clashes = append(clashes, c.to)
			}
			for _, x := range []struct{ what, got, want string }{
				{"entries", strings.Join(entries, " "), tc.entries},
				{"merges", strings.Join(merges, " "), tc.merges},
				{"clashes", strings.Join(clashes, " "), tc.clashes},
			} {
				if x.got != x.want {
					t.Errorf("%s: %q, want %q", x.what, x.got, x.want)
				}
			}
		})
	}
}
