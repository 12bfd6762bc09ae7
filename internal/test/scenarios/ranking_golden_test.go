package scenarios_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// rankingQuestions are asked of the notes in testdata/ranking.txtar: words that
// the notes have, words they have in another sense, none that they have, the name
// of a note, words joined to compounds, and words that some notes have next to each
// other and some apart.
var rankingQuestions = []string{
	"dough",
	"tomatoes",
	"bank",
	"bank loan interest",
	"how do I train a young dog",
	"surviving a crash while saving a file",
	"saving for retirement",
	"insomnia",
	"who runs sales",
	"what did we decide about pricing",
	"how does Maria want to be reached",
	"my leg hurts after hiking downhill",
	"holiday in Portugal",
	"rename -temporary",
	"fixed-rate fund/loan",
	"what comes after hours of a long transaction or a power failure",
	"one run a week on a hot morning and at which hour of the day",
}

// Ranking changes are to be seen and meant: they show as a change of the golden
// file, which -update writes.
func TestRankingGolden(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	notes, err := txtar.ParseFile(filepath.Join("testdata", "ranking.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range notes.Files {
		files[f.Name] = string(f.Data)
	}
	b := apptest.New(t)
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)

	var got strings.Builder
	for _, question := range rankingQuestions {
		fmt.Fprintf(&got, "%s\n", question)
		for _, mode := range []api.Mode{api.ModeWords, api.ModeVector, api.ModeHybrid} {
			found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: mode, Limit: 3}))(t)
			fmt.Fprintf(&got, "  %s:", mode)
			for _, h := range found.Items {
				fmt.Fprintf(&got, " %s", strings.TrimSuffix(h.Path, path.Ext(h.Path)))
			}
			got.WriteByte('\n')
		}
	}
	golden := filepath.Join("testdata", "ranking.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the ranking changed (-want +got); if it is better, run with -update:\n%s", diff)
	}
}
