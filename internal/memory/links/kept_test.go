package links_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// What a process keeps of names and headings answers as one that reads all of them, after any
// edits, moves, deletions and undos.
func TestKeptNamesAndHeadingsFollowChanges(t *testing.T) {
	t.Parallel()
	bed := apptest.New(t)
	a := bed.Open()
	r := rand.New(rand.NewPCG(4, 3))
	words := []string{"Mill", "Wheel", "Sluice", "Race Course", "水车"}
	pick := func() string { return words[r.IntN(len(words))] }
	slug := func() string { return fmt.Sprint("p", r.IntN(6)) }
	answers := func(s *memory.Session) (out []any) {
		out = append(out, apptest.OK(links.Unresolved(t.Context(), s, 0, 0))(t), apptest.OK(links.Unlinked(t.Context(), s, links.UnlinkedRequest{}))(t))
		for i := range 6 {
			found, err := links.UnlinkedIn(t.Context(), s, fmt.Sprint("p", i), links.UnlinkedRequest{})
			out = append(out, found, kb.CodeOf(err))
		}
		return out
	}
	done := map[string]int{}
	for range 40 {
		var err error
		what := []string{"put", "put", "put", "move", "move", "delete", "undo"}[r.IntN(7)]
		switch what {
		case "put":
			text := fmt.Sprintf("---\naliases: [%s]\n---\n# %s\n\n## %s\n\nA %s and a %s. [[%s#%s]] [[%s#%s]]\n", pick(), pick(), pick(), pick(), pick(), slug(), pick(), slug(), pick())
			_, err = change.Put(t.Context(), a, change.PutRequest{Ref: slug(), Text: []byte(text), Overwrite: true})
		case "move":
			_, err = change.Move(t.Context(), a, change.MoveRequest{Ref: slug(), To: fmt.Sprint("p", r.IntN(50))})
		case "delete":
			_, err = change.Delete(t.Context(), a, change.DeleteRequest{Ref: slug()})
		case "undo":
			_, err = change.Undo(t.Context(), a, history.UndoRequest{})
		}
		if code := kb.CodeOf(err); code == kb.Internal {
			t.Fatal(what, err)
		}
		if err == nil {
			done[what]++
		}
		if got, want := answers(a), answers(bed.Open()); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %s:\n%+v\n%+v", what, got, want)
		}
	}
	if len(done) != 4 {
		t.Errorf("too little happened: %s", fmt.Sprint(done))
	}
}
