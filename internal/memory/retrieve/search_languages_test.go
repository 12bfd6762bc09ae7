package retrieve_test

import (
	"context"
	"fmt"
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

// pageOf is one page of a set, and the question that it answers.
type pageOf struct{ title, text, question string }

// languageSets returns the sets of five languages. Each line is a page, its text and a question.
func languageSets(t *testing.T) map[string][]pageOf {
	t.Helper()
	files, err := filepath.Glob("testdata/languages/*.txt")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d sets, %v", len(files), err)
	}
	out := map[string][]pageOf{}
	for _, file := range files {
		lines, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		for line := range strings.Lines(string(lines)) {
			parts := strings.Split(strings.TrimSpace(line), " | ")
			out[name] = append(out[name], pageOf{parts[0], parts[1], parts[2]})
		}
	}
	return out
}

// Questions in five languages find the page that answers among the first three, by words
// alone.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for name, set := range languageSets(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := map[string]string{}
			for _, p := range set {
				pages[p.title+".md"] = "# " + p.title + "\n\n" + p.text + "\n"
			}
			recallAt3(t, pages, set, func(p pageOf) string { return p.title })
		})
	}
}

// So they do where one memory has pages of all five languages, and three times as many
// in English, which have words that are spelled alike.
func TestLanguagesTogether(t *testing.T) {
	t.Parallel()
	sets := languageSets(t)
	pages := map[string]string{}
	slug := func(name string, p pageOf) string { return strings.ToLower(name) + "/" + p.title }
	for name, set := range sets {
		for _, p := range set {
			pages[slug(name, p)+".md"] = p.text + "\n"
		}
	}
	for i := range 180 {
		pages[fmt.Sprintf("english/%d.md", i)] = fmt.Sprintf("The gift %d was on the die of a war, and the arm in the hand of the Wien den is art to die for; pain is comment on chat.\n", i)
	}
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recallAt3(t, pages, set, func(p pageOf) string { return slug(name, p) })
		})
	}
}

// recallAt3 fails where fewer than nine of ten questions find their page among the first three.
func recallAt3(t *testing.T, pages map[string]string, set []pageOf, want func(pageOf) string) {
	t.Helper()
	b := apptest.New(t)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", pages)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	first, found := 0, 0
	for _, p := range set {
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: p.question, Mode: api.ModeWords, Limit: 3}))(t)
		place := 0
		var slugs []string
		for i, h := range got.Items {
			if h.Slug == want(p) {
				place = i + 1
			}
			slugs = append(slugs, h.Slug)
		}
		switch {
		case place == 1:
			first++
			found++
		case place > 0:
			found++
		default:
			t.Logf("%s: found %q, want %s", p.question, slugs, want(p))
		}
	}
	t.Logf("recall@3 %d of %d, first %d", found, len(set), first)
	if len(set) < 12 || 10*found < 9*len(set) {
		t.Errorf("recall@3 is %d of %d", found, len(set))
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
