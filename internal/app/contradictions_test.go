package app_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/apptest"
)

// claimScene is a page with what is certainly wrong on it: a type of contradiction, or
// nothing. In its text ONE and TWO are two firms, OLD an ended job's firm.
type claimScene struct{ wrong, text string }

var claimScenes = []claimScene{
	{"cross_page", "- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2020-05.."},
	{"cross_page", "- works_at [[ONE]]\n- Works At [[Firm TWO]]"},
	{"cross_page", "---\nemployer: \"[[ONE]]\"\n---\n- works_at [[TWO]] @2020..2099"},
	{"cross_page", "- lives_in [[Atlantis]]\n- lives_in [[ONE]]"},
	{"temporal", "NAME left [[ONE]] in 2025.\n\n- works_at [[Firm ONE]] @2017.."},
	{"temporal", "> Former engineer at [[ONE]].\n\n- works_at [[ONE]] @2017.."},
	{"temporal", "Worked at Firm ONE until May 2024.\n\n- works_at [[Firm ONE]] @2017.."},
	{"temporal", "NAME resigned from [[firms/ONE]] on 2025-02-03.\n\n- member_of [[ONE]]"},
	{"overlap", "- knows [[ONE]] @2010..2015\n- knows [[Firm ONE]] @2012..2018"},
	{"stale", "**As of 2024-01-01:** writes.\n\n---\n\n- **2024-02-15** | letter — Stopped"},

	{"", "- works_at [[ONE]] @2017..2020\n- works_at [[TWO]] @2020.."},
	{"", "- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2098.."},
	{"", "---\nemployer: Firm ONE\n---\n- works_at [[ONE]] @2017.."},
	{"", "- works_at [[ONE]]\n- works_at [[Firm ONE]]\n- works_at [[firms/ONE]]"},
	{"", "- founded [[ONE]] @2017\n- founded [[TWO]] @2019\n- mentors [[ONE]]\n- mentors [[TWO]]"},
	{"", "- works_at [[ONE]] @2017..\n- works_at [[ONE Labs]] @2018.."},
	{"", "NAME left [[ONE]] in 2025.\n\n- founded [[ONE]] @2017\n- advises [[ONE]] @2017.."},
	{"", "NAME left [[ONE]] in 2020.\n\n- works_at [[ONE]] @2022.."},
	{"", "NAME left [[ONE]] in 2020 and returned in 2021.\n\n- works_at [[ONE]] @2017.."},
	{"", "NAME left [[TWO]] in 2025.\n\n- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2010..2017"},
	{"", "Her brother left [[ONE]] in 2025. She never left [[ONE]] in 2024.\n\n- works_at [[ONE]] @2017.."},
	{"", "NAME plans to leave; would have left [[ONE]] in 2025.\n\n- works_at [[ONE]] @2017.."},
	{"", "- works_at [[ONE]] @2017..\n\n---\n\n- **2098-01-01** | plan — Left [[ONE]] in 2098"},
	{"", "Left [[ONE]] in 2098.\n\n- works_at [[ONE]] @2017.."},
	{"", "Former CTO of [[ONE]], and at the desk of [[TWO]] until 2024.\n\n- works_at [[ONE]] @2017.."},
	{"", "```\n- works_at [[TWO]]\nNAME left [[ONE]] in 2025.\n```\n\n- works_at [[ONE]] @2017.."},
	{"", "- knows [[ONE]] @2010..2015\n- knows [[ONE]] @2015..2018"},
	{"", "**As of 2024-01-01:** writes.\n\n---\n\n- **2024-01-20** | letter — Goes on"},
}

// planted makes a directory of people with a claimScene each, in an order that follows from
// the seed, and returns which of them have what wrong.
func planted(b *apptest.Bed, people int, seed int64) (root string, want map[string]string) {
	rng, files := rand.New(rand.NewSource(seed)), map[string]string{}
	for i := range 100 {
		name := fmt.Sprintf("f%02d", i)
		files["firms/"+name+".md"] = "---\naliases: [Firm " + name + "]\n---\n# " + strings.ToUpper(name) + "\n"
	}
	want = map[string]string{}
	for i := range people {
		s, name := claimScenes[rng.Intn(len(claimScenes))], fmt.Sprintf("Person%d", i)
		firms := rng.Perm(100)
		text := strings.NewReplacer("ONE", fmt.Sprintf("f%02d", firms[0]), "TWO", fmt.Sprintf("f%02d", firms[1]), "NAME", name).Replace(s.text)
		if rest, ok := strings.CutPrefix(text, "---\n"); ok {
			head, body, _ := strings.Cut(rest, "---\n")
			text = "---\n" + head + "---\n# " + name + "\n\n" + body
		} else {
			text = "# " + name + "\n\n" + text
		}
		files["people/"+strings.ToLower(name)+".md"] = text + "\n"
		if s.wrong != "" {
			want["people/"+strings.ToLower(name)] = s.wrong
		}
	}
	return b.Dir("planted", files), want
}

// certain returns what is certainly wrong, by slug, and the ids.
func certain(t *testing.T, a *app.App) (found map[string]string, ids []string) {
	t.Helper()
	found = map[string]string{}
	l := apptest.OK(a.Contradictions().List(context.Background(), app.CheckRequest{All: true}))(t)
	for _, c := range l.Items {
		if c.Certain {
			_, slug, _ := strings.Cut(c.A.Ref, ":")
			if found[slug] != "" {
				t.Errorf("%s has two: %s and %s", slug, found[slug], c.Text)
			}
			found[slug] = c.Type
			ids = append(ids, c.ID)
		}
		if len(c.A.Lines) != 2 || len(c.B.Lines) != 2 || c.B.Quote == "" {
			t.Errorf("without its place: %+v", c)
		}
	}
	if l.Certain != len(ids) || l.Total != l.Certain+l.Possible {
		t.Errorf("counted %d certain and %d possible of %d; %d are certain", l.Certain, l.Possible, l.Total, len(ids))
	}
	slices.Sort(ids)
	return found, ids
}

// Every contradiction that was planted among decoys is found, and no other; the ids
// are the same in a memory that is made anew, and for pages that others changed
// around.
func TestPlantedContradictionsAreFound(t *testing.T) {
	ctx, b := context.Background(), apptest.New(t)
	root, want := planted(b, 1000, 1)
	a := b.Open()
	apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: root, Preset: "memory"}))(t)
	apptest.OK(a.Sync(ctx, app.SyncRequest{Full: true}))(t)
	got, ids := certain(t, a)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("contradictions (-want +got):\n%s", diff)
	}
	if len(slices.Compact(slices.Sorted(maps.Values(want)))) != 4 {
		t.Fatal("not every type was planted")
	}
	for slug := range want {
		file := filepath.Join(root, slug+".md")
		text := apptest.OK(os.ReadFile(file))(t)
		if !strings.HasPrefix(string(text), "---") && want[slug] != "stale" {
			if err := os.WriteFile(file, append([]byte("---\ntags: [x]\n---\n\n"), text...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := apptest.New(t)
	other.Opts.Dir = b.Home
	c := other.Open()
	apptest.OK(c.Spaces().Add(ctx, app.SpaceAdd{Root: root}))(t)
	apptest.OK(c.Sync(ctx, app.SyncRequest{Full: true}))(t)
	if _, again := certain(t, c); !slices.Equal(ids, again) {
		t.Error("the ids are others in a memory that was made anew")
	}
}
