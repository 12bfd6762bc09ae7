package write_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
)

// A space with append-only timelines refuses every write that alters or drops an
// entry, of whatever kind it is and however many pages it changes.
func TestTimelinesAreKept(t *testing.T) {
	t.Parallel()
	const ada = "# Ada\n\nTruth.\n\n---\n\n- **2024-03-01** — met [[b]]\n- **2023** — born\n"
	over := func(text string) write.Action { return write.Put{Bytes: []byte(text), Overwrite: true} }
	steps := func(edits ...doc.Edit) write.Action { return write.Edit{Edits: edits} }
	human, agent := kb.Actor{Kind: kb.Human}, kb.Actor{Kind: kb.Agent, Name: "x"}
	for name, tc := range map[string]struct {
		path    string // "" is a.md
		do      write.Action
		by      kb.Actor
		verb    string // "" is edit
		rewrite bool
		undoes  int64
		refused bool
	}{
		"no entry":                               {do: over("# Ada\n\nTruth.\n"), by: human, refused: true},
		"one fewer":                              {do: over(strings.Replace(ada, "- **2023** — born\n", "", 1)), by: human, refused: true},
		"another text":                           {do: steps(doc.Replace{Old: "born", New: "hatched"}), by: agent, refused: true},
		"an agent that says so":                  {do: over("# Ada\n"), by: agent, rewrite: true, refused: true},
		"a schedule":                             {do: over("# Ada\n"), by: kb.Actor{Kind: kb.Schedule}, rewrite: true, refused: true},
		"a human who says so":                    {do: over("# Ada\n"), by: human, rewrite: true},
		"an undo":                                {do: over("# Ada\n"), by: agent, verb: "undo", undoes: 1},
		"an undo of several":                     {do: over("# Ada\n"), by: agent, verb: "undo"},
		"a restore":                              {do: over("# Ada\n"), by: agent, verb: "restore"},
		"truth":                                  {do: steps(doc.Replace{Old: "Truth", New: "News"}), by: agent},
		"a new entry":                            {do: steps(doc.AddEntry{Date: "2025", Text: "more"}), by: agent},
		"a deletion":                             {do: write.Delete{}, by: agent},
		"a move":                                 {do: write.Move{To: "people/ada.md"}, by: agent},
		"a move of the page that an entry names": {path: "b.md", do: write.Move{To: "c.md"}, by: agent},
	} {
		t.Run(name, func(t *testing.T) {
			m := writetest.New(t)
			files := m.Files(nil)
			s := m.Space("notes", files)
			m.Apply(request(put(s, "a.md", ada), put(s, "b.md", "# B\n")))
			s.Policy = &policy.Policy{Format: "markdown", Timeline: policy.Timeline{AppendOnly: true}}
			path := "a.md"
			if tc.path != "" {
				path = tc.path
			}
			req := request(write.Change{Space: s, Path: path, Action: tc.do})
			req.Actor, req.RewriteTimeline, req.Undoes = tc.by, tc.rewrite, tc.undoes
			if tc.verb != "" {
				req.Operation = tc.verb
			}
			before := writetest.Tree(t, files)
			_, err := m.Writer.Apply(context.Background(), req)
			if !tc.refused {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e := kb.AsError(err)
			if kb.CodeOf(err) != kb.Refused || e.Reason != kb.EvidenceKept || e.Details["entries"] == nil {
				t.Fatalf("got %v", err)
			}
			if writetest.Tree(t, files)["a.md"] != before["a.md"] {
				t.Error("the page was changed")
			}
			if strings.Contains(e.Error(), "born") {
				t.Errorf("the error has the text of the page: %v", err)
			}
		})
	}
}

// A page that was deleted and is created again keeps its entries, whatever way it comes
// back to the path or to the id that it had.
func TestTimelinesAreKeptByPagesCreatedAgain(t *testing.T) {
	t.Parallel()
	const (
		id      = "11111111-2222-4333-8444-555555555555"
		ada     = "# Ada\n\nTruth.\n\n---\n\n- **2024-03-01** — met Bob\n"
		adaID   = "---\nid: " + id + "\n---\n" + ada
		another = "# Ada\n\nNothing.\n"
		withID  = "---\nid: " + id + "\n---\n" + another
	)
	human, agent := kb.Actor{Kind: kb.Human}, kb.Actor{Kind: kb.Agent, Name: "x"}
	type step struct {
		by   kb.Actor
		verb string // "" is edit
		path string
		do   write.Action
	}
	create := func(text string) write.Action { return write.Put{Bytes: []byte(text)} }
	gone := step{by: agent, path: "a.md", do: write.Delete{}}
	for name, tc := range map[string]struct {
		first   string // text of a.md, by a human
		steps   []step // all but the last work
		rewrite bool
		refused bool
	}{
		"at its path":                  {first: ada, steps: []step{gone, {by: agent, path: "a.md", do: create(another)}}, refused: true},
		"at its path, by a human":      {first: ada, steps: []step{gone, {by: human, path: "a.md", do: create(another)}}, refused: true},
		"by a human who says so":       {first: ada, steps: []step{gone, {by: human, path: "a.md", do: create(another)}}, rewrite: true},
		"by an agent that says so":     {first: ada, steps: []step{gone, {by: agent, path: "a.md", do: create(another)}}, rewrite: true, refused: true},
		"by the schedule":              {first: ada, steps: []step{gone, {by: kb.Actor{Kind: kb.Schedule}, path: "a.md", do: create(another)}}, refused: true},
		"with its entries":             {first: ada, steps: []step{gone, {by: agent, path: "a.md", do: create(ada + "- **2025** — more\n")}}},
		"in another format":            {first: ada, steps: []step{gone, {by: agent, path: "a.org", do: create("* Ada\n")}}, refused: true},
		"with its id":                  {first: adaID, steps: []step{gone, {by: agent, path: "b.md", do: create(withID)}}, refused: true},
		"another page gets its id":     {first: adaID, steps: []step{gone, {by: agent, path: "b.md", do: create(another)}, {by: agent, path: "b.md", do: write.Edit{Edits: []doc.Edit{doc.SetProperty{Key: "id", Value: id}}}}}, refused: true},
		"without its id at its path":   {first: adaID, steps: []step{gone, {by: agent, path: "a.md", do: create(another)}}, refused: true},
		"a page moved there":           {first: ada, steps: []step{gone, {by: agent, path: "b.md", do: create(another)}, {by: agent, path: "b.md", do: write.Move{To: "a.md"}}}, refused: true},
		"deleted by a human":           {first: ada, steps: []step{{by: human, path: "a.md", do: write.Delete{}}, {by: agent, path: "a.md", do: create(another)}}, refused: true},
		"moved away":                   {first: ada, steps: []step{{by: agent, path: "a.md", do: write.Move{To: "c.md"}}, {by: agent, path: "a.md", do: create(another)}}},
		"moved away and deleted":       {first: ada, steps: []step{{by: agent, path: "a.md", do: write.Move{To: "c.md"}}, {by: agent, path: "c.md", do: write.Delete{}}, {by: agent, path: "a.md", do: create(another)}}, refused: true},
		"as the schedule does":         {first: ada, steps: []step{{by: kb.Actor{Kind: kb.Schedule}, path: "a.md", do: write.Move{To: "c.md"}}, {by: kb.Actor{Kind: kb.Schedule}, path: "c.md", do: write.Delete{}}, {by: agent, path: "a.md", do: create(another)}}},
		"a deletion that was restored": {first: ada, steps: []step{gone, {by: agent, verb: "restore", path: "a.md", do: create(ada)}, {by: agent, path: "a.md", do: write.Move{To: "c.md"}}, {by: agent, path: "a.md", do: create(another)}}},
		"a creation that was undone":   {first: another, steps: []step{{by: agent, path: "b.md", do: create(ada)}, {by: agent, verb: "undo", path: "b.md", do: write.Delete{}}, {by: agent, path: "b.md", do: create(another)}}},
		"an undone one over a deleted": {first: ada, steps: []step{gone, {by: agent, path: "a.md", do: create(ada)}, {by: agent, verb: "undo", path: "a.md", do: write.Delete{}}, {by: agent, path: "a.md", do: create(another)}}, refused: true},
		"a restored one, undone":       {first: ada, steps: []step{gone, {by: agent, verb: "undo", path: "a.md", do: create(ada)}, {by: agent, verb: "undo", path: "a.md", do: write.Delete{}}, {by: agent, path: "a.md", do: create(another)}}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				s.Policy = &policy.Policy{Format: "markdown", Timeline: policy.Timeline{AppendOnly: true}}
				m.Apply(request(put(s, "a.md", tc.first)))
				for i, st := range tc.steps {
					last := i == len(tc.steps)-1
					req := request(write.Change{Space: s, Path: st.path, Action: st.do})
					req.Actor, req.RewriteTimeline = st.by, tc.rewrite && last
					if st.verb != "" {
						req.Operation = st.verb
					}
					for _, dry := range []bool{true, false} {
						req.DryRun = dry
						_, err := m.Writer.Apply(context.Background(), req)
						if !last || !tc.refused {
							if err != nil {
								t.Fatalf("step %d: %v", i, err)
							}
							continue
						}
						e := kb.AsError(err)
						if kb.CodeOf(err) != kb.Refused || e.Reason != kb.EvidenceDeleted || e.Facts["ref"] == nil || e.Details["entries"] == nil {
							t.Fatalf("got %v", err)
						}
					}
				}
			})
		})
	}
}

// A write that deletes a page and gives its id to a new one is refused as well.
func TestTimelinesAreKeptWithinAWrite(t *testing.T) {
	t.Parallel()
	const (
		head = "---\nid: 11111111-2222-4333-8444-555555555555\n---\n# Ada\n"
		ada  = head + "\n---\n\n- **2024-03-01** — met Bob\n"
	)
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		s.Policy = &policy.Policy{Format: "markdown", Timeline: policy.Timeline{AppendOnly: true}}
		m.Apply(request(put(s, "a.md", ada)))
		_, err := m.Writer.Apply(context.Background(), request(
			write.Change{Space: s, Path: "a.md", Action: write.Delete{}},
			put(s, "b.md", head)))
		if e := kb.AsError(err); kb.CodeOf(err) != kb.Refused || e.Reason != kb.EvidenceDeleted {
			t.Errorf("got %v", err)
		}
	})
}

// A file that another program deletes has been a page with entries as well.
func TestTimelinesAreKeptAfterFilesAreDeleted(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(nil)
	s := m.Space("notes", files)
	s.Policy = &policy.Policy{Format: "markdown", Timeline: policy.Timeline{AppendOnly: true}}
	m.Apply(request(put(s, "a.md", "# Ada\n\n---\n\n- **2024-03-01** — met Bob\n"), put(s, "b.md", "# B\n")))
	if err := files.Remove("a.md"); err != nil {
		t.Fatal(err)
	}
	_, err := m.Writer.Apply(context.Background(), request(put(s, "a.md", "# Ada\n")))
	if e := kb.AsError(err); kb.CodeOf(err) != kb.Refused || e.Reason != kb.EvidenceDeleted {
		t.Errorf("got %v", err)
	}
}
