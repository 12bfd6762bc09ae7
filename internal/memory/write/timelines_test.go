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
