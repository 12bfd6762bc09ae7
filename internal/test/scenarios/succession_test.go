package scenarios_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// capturedFact is a line of testdata/captures.txt.
type capturedFact struct {
	key, project, replaces, text string
	day                          int
}

func capturedFacts(t *testing.T) (out []capturedFact) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "captures.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		w := strings.SplitN(lines.Text(), " ", 5)
		day, err := strconv.Atoi(w[2])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, capturedFact{w[0], w[1], strings.TrimPrefix(w[3], "-"), w[4], day})
	}
	if len(out) != 30 {
		t.Fatalf("%d captures", len(out))
	}
	return out
}

// capturedBed is a memory with all of them, each project a space, and the ref of each.
func capturedBed(t *testing.T) (a *memory.Session, refs map[string]string) {
	t.Helper()
	a, refs = apptest.New(t).Open(), map[string]string{}
	ctx := context.Background()
	for _, f := range capturedFacts(t) {
		if f.day == 1 {
			apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: f.project, Preset: "capture", Database: true}))(t)
		}
		req := api.CaptureRequest{Text: f.text}
		if f.replaces != "" {
			req.Supersedes = []string{refs[f.replaces]}
		}
		refs[f.key] = apptest.OK(ingest.Capture(ctx, a.In(f.project), req))(t).Ref
	}
	return a, refs
}

// A page that another one replaces comes after it, whatever the question looks like, and
// names it; no answer shows the line by which cairn says so.
func TestSuccessorsComeFirst(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	a, refs := capturedBed(t)
	ctx := context.Background()
	for question, pair := range map[string][2]string{
		"What is the retainer of Client X?":                     {"retainer-1", "retainer-2"},
		"retainer for Client X is 4,500 EUR a month":            {"retainer-1", "retainer-2"},
		"The retainer for Client X is 4,500 EUR a month":        {"retainer-1", "retainer-2"}, // its title
		"Refunds above 200 EUR":                                 {"refund-1", "refund-2"},
		"Do deploys of the shop go out on Tuesdays after lunch": {"deploy-1", "deploy-2"},
		"How long are backups kept?":                            {"backup-1", "backup-2"},
	} {
		old, now := refs[pair[0]], refs[pair[1]]
		for _, mode := range []api.Mode{api.ModeHybrid, api.ModeWords, api.ModeVector} {
			for _, limit := range []int{1, 5} {
				found := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Mode: mode, Limit: limit, All: true}}))(t)
				at := map[string]int{}
				for i, h := range found.Items {
					at[h.Ref] = i + 1
					if shown := h.Snippet + "\n" + h.Text; h.Depth != api.DepthFull && strings.Contains(shown, "Relations") || strings.Contains(h.Snippet, "supersedes") || strings.Contains(h.Snippet, "related ") {
						t.Errorf("%s, %s: %s shows %q", question, mode, h.Ref, shown)
					}
				}
				if at[old] == 0 && mode == api.ModeVector && limit == 1 && at[now] == 1 {
					continue
				}
				if limit == 1 && at[now] != 1 && mode != api.ModeVector {
					t.Errorf("%s, %s: the one hit is %v", question, mode, at)
				}
				if limit == 5 && (at[now] == 0 || at[old] != 0 && at[old] < at[now]) {
					t.Errorf("%s, %s: %s is at %d, and its successor at %d", question, mode, old, at[old], at[now])
				}
				if i := at[old]; i > 0 && found.Items[i-1].SupersededBy != now {
					t.Errorf("%s, %s: superseded by %q", question, mode, found.Items[i-1].SupersededBy)
				}
			}
		}
	}
}

// Of pages that replace each other in turn the last one is the successor, also one that the
// query does not find, unless a filter or a review says otherwise.
func TestSuccessorOfSuccessor(t *testing.T) {
	t.Parallel()
	a, ctx := apptest.New(t).Open(), context.Background()
	put := func(slug, text string) {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: slug, Text: []byte(text)}))(t)
	}
	put("rates/first", "Fees are 3 percent.\n")
	put("rates/second", "They are 4 of a hundred.\n\n- supersedes [[first]]\n")
	put("rates/third", "They are five of a hundred.\n\n- supersedes [[second]]\n")
	put("rates/other", "Fees of others.\n")
	search := func(q string) (refs []string, r api.SearchResult) {
		r = apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: q, Mode: api.ModeWords}))(t)
		for _, h := range r.Items {
			refs = append(refs, h.Slug)
		}
		return refs, r
	}
	got, r := search("fees percent")
	if strings.Join(got, " ") != "rates/third rates/first rates/other" || r.Total != 3 || r.Items[1].SupersededBy != "memory:rates/third" || r.Items[0].Snippet != "They are five of a hundred." {
		t.Errorf("found %q of %d, %+v", got, r.Total, r.Items)
	}
	if got, r := search("fees percent path:rates/first.md"); strings.Join(got, " ") != "rates/first" || r.Items[0].SupersededBy != "memory:rates/third" {
		t.Errorf("within a filter found %q", got)
	}
	put("circle/one", "Wages are weekly.\n\n- supersedes [[circle/two]]\n")
	put("circle/two", "Wages are monthly.\n\n- supersedes [[circle/one]]\n")
	if got, r := search("wages"); len(got) != 2 || r.Items[0].SupersededBy+r.Items[1].SupersededBy != "" {
		t.Errorf("pages that replace each other: %q, %+v", got, r.Items)
	}
	put("rates/old", "Tolls are 7.\n")
	put("rates/new", "Tolls are 8.\n\n- supersedes [[rates/old]]\n")
	apptest.OK(change.Edit(ctx, a, "edit", api.WriteOptions{}, "rates/old", doc.SetProperty{Key: "reviewed", Value: "2026-11-01"}))(t)
	if got, r := search("tolls 7"); got[0] != "rates/old" || r.Items[0].SupersededBy != "" {
		t.Errorf("a page that was reviewed: %q, %+v", got, r.Items[0])
	}
}
