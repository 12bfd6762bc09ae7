package retrieve_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Words that no page has are searched within others, as the nearest ones, or in pairs of
// characters.
func TestWordsThatNoPageHas(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"code.md":   "Call `getUserById` and `parseHttpHeader`.\n",
		"deploy.md": "The kubernetes cluster is deployed on Fridays.\n",
		"lease.md":  "租金押金的退还期限是两周。\n",
		"other.md":  "The parser of the cluster reads a cube.\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, c := range []struct{ query, found, note string }{
		{"user by id", "code", ""},
		{"http header", "code", ""},
		{"*erne*", "deploy", ""},
		{"*押金*", "lease", ""},
		{"租金押金退还", "lease", ""},
		{"kuberntes", "deploy", `no page has "kuberntes": searched for kubernetes`},
		{"kubernetse cluster", "deploy other", `no page has "kubernetse": searched for kubernetes`},
		{"cluter", "deploy other", `no page has "cluter": searched for cluster`},
		{"kubb", "", "no page has any of these words"},
		{"cluster zeppelins", "deploy other", ""}, // not misspelt: there is nothing near
		{"cuba", "other", `no page has "cuba": searched for cube`},
		{"cuba fridays", "deploy", ""}, // no page has both
	} {
		for _, mode := range []api.Mode{api.ModeWords, api.ModeHybrid} {
			got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: c.query, Mode: mode}))(t)
			var slugs []string
			for _, h := range got.Items {
				slugs = append(slugs, h.Slug)
			}
			note := ""
			for _, n := range got.Notes {
				if strings.HasPrefix(n, "no page has") {
					note = n
				}
			}
			if diff := cmp.Diff([]string{c.found, c.note}, []string{strings.Join(slugs, " "), note}); diff != "" {
				t.Errorf("%s %q: %s", mode, c.query, diff)
			}
		}
	}
}

// A question about one space is not answered with the words of another.
func TestMisspeltWordsOfOtherSpaces(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), context.Background()
	for name, text := range map[string]string{"mine": "A hawk.\n", "theirs": "The falcon project.\n"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, map[string]string{"a.md": text}), Name: name}))(t)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, in := range []string{"mine", "theirs"} {
		r := apptest.OK(read.Search(ctx, a.In(in), retrieve.SearchRequest{Query: "falcn", Mode: api.ModeWords}))(t)
		said := strings.Contains(strings.Join(r.Notes, "; "), "searched for falcon")
		if said != (in == "theirs") {
			t.Errorf("in %s: %q", in, r.Notes)
		}
	}
}
