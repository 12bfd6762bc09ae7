package lintpages_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Some documents have those faults that a look at the whole space finds in them, and each once.
func TestFaultsAtPaths(t *testing.T) {
	t.Parallel()
	const one, none = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	b := apptest.New(t)
	a := b.Open()
	dir := b.Dir("kb", map[string]string{
		"a.md":   "---\nid: " + one + "\n---\n# A\n\n[[b#Wheel]] [[b#Sluice]] [[b^x]] [[nowhere]] [[2026-11-23]] [[" + none + "]]\n",
		"b.md":   "# B\n\n## Wheel\n\n[[a#Gone]] [[c#Gone]]\n",
		"c.org":  ":PROPERTIES:\n:ID: " + one + "\n:END:\n#+title: C\n\n[[id:" + none + "]] [[id:2026-11-23]] [cite:@none]\n\n* Part\n:PROPERTIES:\n:ID: " + one + "\n:END:\n\n[[file:b.md::*Sluice]]\n",
		"d.md":   "# D\n\n[[a]]\n",
		"bad.md": "---\n- no map\n---\n",
	})
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "kb", Root: dir}))(t)
	sess := a.In("kb")
	w := apptest.OK(sess.Spaces.OpenCurrent(t.Context()))(t)
	apptest.OK(freshness.Sync(t.Context(), sess, w.Space, freshness.Request{}))(t)
	at := func(paths []string) []lint.Finding {
		t.Helper()
		found, _, err := lintpages.Space(t.Context(), sess, w, paths)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	all := at(nil)
	rules := map[string]int{}
	for _, f := range all {
		rules[string(f.Rule)]++
	}
	if rules["id-repeated"] != 3 || rules["link-dead"] < 2 || rules["anchor-missing"] < 3 {
		t.Fatalf("%v: %+v", rules, all)
	}
	for _, paths := range [][]string{{"a.md"}, {"b.md"}, {"c.org"}, {"d.md"}, {"bad.md"}, {"none.md"}, {"a.md", "c.org", "b.md"}, {}} {
		want := slices.DeleteFunc(slices.Clone(all), func(f lint.Finding) bool { return !slices.Contains(paths, f.Path) })
		if got := at(paths); !slices.Equal(got, want) {
			t.Errorf("%q:\n%+v\nwant\n%+v", paths, got, want)
		}
	}
}
