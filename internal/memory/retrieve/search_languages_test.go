package retrieve_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Questions in five languages find the page that answers among the first three, by words
// alone. Each line of the sets is a page, its text and a question.
func TestLanguages(t *testing.T) {
	t.Parallel()
	sets, err := filepath.Glob("testdata/languages/*.txt")
	if err != nil || len(sets) != 5 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".txt"), func(t *testing.T) {
			t.Parallel()
			lines, err := os.ReadFile(set)
			if err != nil {
				t.Fatal(err)
			}
			pages, questions := map[string]string{}, map[string]string{}
			for line := range strings.Lines(string(lines)) {
				parts := strings.Split(strings.TrimSpace(line), " | ")
				pages[parts[0]+".md"] = "# " + parts[0] + "\n\n" + parts[1] + "\n"
				questions[parts[2]] = parts[0]
			}
			b := apptest.New(t)
			a, ctx := b.Open(), context.Background()
			apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", pages)}))(t)
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
			first, found := 0, 0
			for question, want := range questions {
				got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: api.ModeWords, Limit: 3}))(t)
				place := 0
				var titles []string
				for i, h := range got.Items {
					if h.Title == want {
						place = i + 1
					}
					titles = append(titles, h.Title)
				}
				switch {
				case place == 1:
					first++
					found++
				case place > 0:
					found++
				default:
					t.Logf("%s: found %q, want %s", question, titles, want)
				}
			}
			t.Logf("recall@3 %d of %d, first %d", found, len(questions), first)
			if len(questions) < 12 || 10*found < 9*len(questions) {
				t.Errorf("recall@3 is %d of %d", found, len(questions))
			}
		})
	}
}

// The function words of a question do not decide in a memory that has little of its
// language: they are rare there.
func TestForeignFunctionWords(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"songs.md":  "# Songs\n\nWie hoch ist der Mond, und der Stern? Que es la vida? Où est le chat de la dame?\n",
		"apollo.md": "# Apollo\n\nThe Apollo license is paid every year, for all of our teams.\n",
		"menu.md":   "# Menu\n\nSoup, bread and a glass of water for everybody in the room.\n",
	}
	b := apptest.New(t)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", pages)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, question := range []string{
		"Wie hoch ist der Preis für die Apollo Lizenz?",
		"¿Cuánto es la licencia de Apollo?",
		"Où est la licence de Apollo?",
		"how much is the Apollo license?",
	} {
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: api.ModeWords, Limit: 3}))(t)
		if len(got.Items) == 0 || got.Items[0].Title != "Apollo" {
			t.Errorf("%s: %v", question, got.Items)
		}
	}
}
