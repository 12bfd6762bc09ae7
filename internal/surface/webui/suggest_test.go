package webui_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// What somebody types is no question while pages are only offered for it: no gap is recorded,
// and no page counts as used.
func TestSuggestionsAreNotRecorded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		headers []string
		gaps    int
		used    int
	}{
		"a question":   {nil, 1, 1},
		"a suggestion": {[]string{"Cairn-Suggests", "1"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m *memory.Lazy
			b := newBed(t, func(o *webui.Options) { m = o.Memory.(*memory.Lazy) })
			b.put("ferry", "Ferry", "The ferry to Naxos leaves at dawn.\n")
			s := apptest.OK(m.Session(t.Context(), false))(t)
			apptest.OK(s.Spaces.Set(t.Context(), space.SetRequest{Name: "memory", Key: "gap_threshold", Value: "0.9"}))(t)
			apptest.OK(s.Spaces.Set(t.Context(), space.SetRequest{Name: "memory", Key: "lifecycle.stale_after", Value: "45"}))(t)
			b.signIn()
			page := b.do("GET", "/?mode=fts&q="+url.QueryEscape("ferry zanzibar contract negotiated by nobody"), tt.headers...)
			if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "Ferry</a>") && !strings.Contains(page.Body.String(), "<mark>Ferry</mark>") {
				t.Errorf("it finds %d %s", page.Code, page.Body)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			a := b.Open()
			if gaps := apptest.OK(gap.List(t.Context(), a, gap.ListRequest{All: true}))(t).Items; len(gaps) != tt.gaps {
				t.Errorf("gaps are %+v", gaps)
			}
			used := 0
			if err := a.DB.View(t.Context(), func(tx store.Tx) error {
				all, err := tx.Spaces().All(t.Context())
				for _, s := range all {
					days, err := tx.Lives().Used(t.Context(), s.Row)
					if err != nil {
						return err
					}
					used += len(days)
				}
				return err
			}); err != nil || used != tt.used {
				t.Errorf("%d pages are used, %v", used, err)
			}
		})
	}
}

// The script looks up what it offers next to a draft only so, and by words alone.
func TestDraftsAreNoQuestions(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("assets/cairn.js")
	if err != nil {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`.*/\?[^\n]*q=.*`).FindAllString(string(script), -1)
	if len(asks) != 1 || !strings.Contains(asks[0], "mode=fts") {
		t.Errorf("the script asks %q", asks)
	}
	// Nothing that a script reads counts, neither while a person types nor when a page changed.
	if fetches := regexp.MustCompile(`.*\bfetch\(address.*`).FindAllString(string(script), -1); len(fetches) != 1 || !strings.Contains(fetches[0], "'Cairn-Suggests'") {
		t.Errorf("the script fetches screens with %q", fetches)
	}
}
