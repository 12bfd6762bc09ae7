package history_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// An agent undoes its own writes only, however it names others', and a dry run says so,
// too. A person undoes all of them.
func TestAgentsUndoTheirOwnWrites(t *testing.T) {
	t.Parallel()
	dry := api.WriteOptions{DryRun: true}
	for name, tc := range map[string]struct {
		as      kb.Actor // without a kind the agent x
		req     history.UndoRequest
		command string // of the refusal; "" when it is allowed
	}{
		"a person's write":                 {req: history.UndoRequest{Write: 1}, command: "undo 1"},
		"a person's write, dry":            {req: history.UndoRequest{Write: 1, WriteOptions: dry}, command: "undo 1"},
		"a person's write, forced":         {req: history.UndoRequest{Write: 1, Force: true, Own: true}, command: "undo 1"},
		"another agent's write":            {req: history.UndoRequest{Write: 3}, command: "undo 3"},
		"an agent without a name":          {as: kb.Actor{Kind: kb.Agent}, req: history.UndoRequest{Write: 2}, command: "undo 2"},
		"its own write":                    {req: history.UndoRequest{Write: 2}},
		"a person's writes":                {req: history.UndoRequest{Actor: "human", Since: "today"}, command: "undo --actor human --since TIME"},
		"the writes of a person by name":   {req: history.UndoRequest{Actor: "human:ada", Since: "today", WriteOptions: dry}, command: "undo --actor human:ada --since TIME"},
		"the writes of another agent":      {req: history.UndoRequest{Actor: "y", Since: "today", All: true}, command: "undo --actor y --since TIME"},
		"the writes of all agents":         {req: history.UndoRequest{Actor: "agent", Since: "today"}, command: "undo --actor agent --since TIME"},
		"its own writes":                   {req: history.UndoRequest{Actor: "agent:x", Since: "today"}},
		"its own writes by the name alone": {req: history.UndoRequest{Actor: "x", Since: "today"}},
		"a person, any write":              {as: kb.Actor{Kind: kb.Human, Name: "bob"}, req: history.UndoRequest{Write: 3}},
		"a person, all agents":             {as: kb.Actor{Kind: kb.Human}, req: history.UndoRequest{Actor: "agent", Since: "today"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			s.put(s.me, "mine", "Mine.\n")
			s.put(s.agent, "its", "Its.\n")
			s.put(s.me.As(kb.AgentNamed("y")), "other", "Other.\n")
			as := s.agent
			if tc.as.Kind != "" {
				as = s.me.As(tc.as)
			}
			_, err := change.Undo(s.ctx, as, tc.req)
			if tc.command == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e := kb.AsError(err); err == nil || e.Code != kb.Refused || e.Reason != kb.PersonOnly || e.Facts["command"] != tc.command {
				t.Fatalf("got %v, with %v", err, kb.AsError(err).Facts)
			}
			for _, ref := range []string{"mine", "its", "other"} {
				if s.text(ref) == "(gone)" {
					t.Errorf("%s is gone", ref)
				}
			}
		})
	}
}

// An agent without a name is an actor of its own: what named agents wrote is not its own.
func TestUndoOfAnAgentWithoutAName(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	nameless := s.me.As(kb.Actor{Kind: kb.Agent})
	s.put(s.agent, "its", "Its.\n")
	s.put(nameless, "own", "Own.\n")
	apptest.OK(change.Undo(s.ctx, nameless, history.UndoRequest{Actor: "agent", Since: "today"}))(t)
	if s.text("its") == "(gone)" || s.text("own") != "(gone)" {
		t.Errorf("there are %q and %q", s.text("its"), s.text("own"))
	}
}

// An agent restores no version without what others added since and the page still has.
func TestAgentsRestore(t *testing.T) {
	t.Parallel()
	const base = "# Ada\n\nTruth.\n\n---\n\n- **2024-03-01** — one\n"
	add := func(entry string) func(string) string {
		return func(s string) string { return s + "- " + entry + "\n" }
	}
	replace := func(old, by string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, by, 1) }
	}
	type write struct {
		by   string // me, x or y
		edit func(text string) string
	}
	for name, tc := range map[string]struct {
		writes  []write
		as      string // "" is x
		version int    // 0 is 1
		deleted bool
		refused bool
	}{
		"its own text":                         {writes: []write{{"x", replace("Truth", "News")}}},
		"a person's entry":                     {writes: []write{{"me", add("**2024-04-01** — two")}}, refused: true},
		"another agent's entry":                {writes: []write{{"y", add("**2024-04-01** — two")}}, refused: true},
		"a person's sentence":                  {writes: []write{{"me", replace("Truth", "News")}}, refused: true},
		"a person's, with its own later":       {writes: []write{{"me", replace("Truth", "News")}, {"x", add("**2024-04-01** — two")}}, refused: true},
		"a person's before it":                 {writes: []write{{"me", replace("Truth", "News")}, {"x", add("**2024-04-01** — two")}}, version: 2},
		"a person's, which they took out":      {writes: []write{{"me", replace("Truth", "News")}, {"me", replace("News", "Truth")}, {"x", add("x")}}},
		"what a person took out":               {writes: []write{{"me", replace("Truth.\n", "")}}},
		"an entry that it wrote another way":   {writes: []write{{"me", add("**2024-04-01** — two")}, {"x", replace("- **2024-04-01** — two", "*   **2024-04-01**  —  two")}}, refused: true},
		"one line more of two":                 {writes: []write{{"x", replace("Truth.", "Same.\n\nTruth.")}, {"me", replace("Truth.", "Same.\n\nTruth.")}}, version: 2, refused: true},
		"a deleted page with a person's entry": {writes: []write{{"me", add("**2024-04-01** — two")}}, deleted: true, refused: true},
		"a deleted page":                       {writes: []write{{"me", add("**2024-04-01** — two")}}, deleted: true, version: 2},
		"a person":                             {writes: []write{{"x", add("**2024-04-01** — two")}}, as: "me"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			as := map[string]*memory.Session{"me": s.me, "x": s.agent, "": s.agent, "y": s.me.As(kb.AgentNamed("y"))}
			s.put(s.me, "ada", base)
			text := base
			for _, w := range tc.writes {
				text = w.edit(text)
				s.put(as[w.by], "ada", text)
			}
			if tc.deleted {
				apptest.OK(change.Delete(s.ctx, s.agent, change.DeleteRequest{Ref: "ada"}))(t)
			}
			version := max(tc.version, 1)
			for _, dry := range []bool{true, false} {
				_, err := change.Restore(s.ctx, as[tc.as], change.RestoreRequest{Ref: "ada", Version: version, WriteOptions: api.WriteOptions{DryRun: dry}})
				if !tc.refused {
					if err != nil {
						t.Fatal(err)
					}
					continue
				}
				if e := kb.AsError(err); err == nil || e.Code != kb.Refused || e.Reason != kb.PersonOnly || e.Facts["command"] != "restore m:ada 1" && version == 1 {
					t.Fatalf("dry run %v: got %v", dry, err)
				}
			}
			want := text
			if tc.deleted {
				want = "(gone)"
			}
			if got := s.text("ada"); tc.refused && got != want {
				t.Errorf("the page is %q", got)
			}
			if tc.refused {
				apptest.OK(change.Restore(s.ctx, s.me, change.RestoreRequest{Ref: "ada", Version: version}))(t)
			}
		})
	}
}

// Undo and restore of large pages take their turn, and an edit shows what it changed although
// the old text is not held while the new one is indexed.
func TestLargePagesGoBack(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	const line = "Words of a large page in a line.\n"
	large := "# Large\n\n" + strings.Repeat(line, 17<<20/len(line))
	s.put(s.agent, "large", large)
	w := apptest.OK(change.Edit(s.ctx, s.agent, "edit", api.WriteOptions{Diff: true}, "large", doc.Append{Text: "More."}))(t)
	if d := w.Pages[0].Diff; !strings.Contains(d, "\n+More.\n") || strings.Contains(d, "\n-") {
		t.Errorf("the difference is %q", d)
	}
	text := s.text("large")
	s.put(s.me, "large", "Before.\n\n"+text)
	if _, err := change.Restore(s.ctx, s.agent, change.RestoreRequest{Ref: "large", Version: 1}); kb.AsError(err).Reason != kb.PersonOnly {
		t.Errorf("a restore without a person's line: %v", err)
	}
	ended := false
	s.me.OnWritten = func(api.Written) { // what follows a write may take long
		if _, over, err := turn.Alone(s.ctx, s.me.DB, int64(len(large))); err == nil {
			over()
			ended = true
		}
	}
	apptest.OK(change.Undo(s.ctx, s.me, history.UndoRequest{}))(t)
	if s.me.OnWritten = nil; !ended {
		t.Error("the turn of the undo had not ended after the write")
	}
	if s.text("large") != text {
		t.Error("undo left another text")
	}
	apptest.OK(change.Restore(s.ctx, s.me, change.RestoreRequest{Ref: "large", Version: 1}))(t)
	if s.text("large") != large {
		t.Error("restore left another text")
	}
}
