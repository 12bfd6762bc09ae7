package app_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

const asked = "Who negotiated the Zanzibar contract?"

// files returns what is on disk of the memory.
func (b *bed) files() []byte {
	b.t.Helper()
	names, err := filepath.Glob(b.database() + "*")
	if err != nil || len(names) == 0 {
		b.t.Fatalf("there is no memory: %v", err)
	}
	var out []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil && filepath.Ext(name) != ".locks" {
			b.t.Fatal(err)
		}
		out = append(out, text...)
	}
	return out
}

// Nothing of a question's wording reaches the disk before somebody approved
// that, and nothing of it is answered.
func TestGapKeepsNoWordingBeforeItIsApproved(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	a := b.open()
	score := 0.125
	g := ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: asked, Context: " writing the offer\n", Score: &score}))
	if g.Space != "memory" || g.Count != 1 || g.Context != "writing the offer" || *g.Score != score || g.By != "human" ||
		g.Sensitivity != kb.GapInternal || g.Hash != kb.QuestionHash(asked).String() || g.Question+g.Redacted+g.Approver != "" {
		t.Errorf("logged %+v", g)
	}
	list := ok[app.List[app.Gap]](t)(a.Gaps(ctx, app.GapsRequest{}))
	if diff := cmp.Diff(app.List[app.Gap]{Items: []app.Gap{g}, Total: 1}, list); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if bytes.Contains(b.files(), []byte("Zanzibar")) || bytes.Contains(b.files(), []byte("zanzibar")) {
		t.Error("the question is on disk")
	}
	_, err := a.GapLog(ctx, app.GapLogRequest{Question: asked, Context: strings.ToUpper(asked)})
	if kb.CodeOf(err) != kb.Usage {
		t.Errorf("the question as its own context: %v", err)
	}
	ok[app.Gap](t)(a.GapApprove(ctx, app.GapApproveRequest{ID: g.ID, Sensitivity: kb.GapExternal, Question: asked}))
	if !bytes.Contains(b.files(), []byte("Zanzibar")) {
		t.Error("the approved question is not on disk, so this test finds nothing")
	}
}

func TestGapIsCountedWhileItIsOpen(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	a := b.open()
	ok[app.Written](t)(a.Put(ctx, app.PutRequest{Ref: "contracts", Text: []byte("Ada did.")}))
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Name: "other", Database: true}))
	log := func(a *app.App, q string) app.Gap {
		t.Helper()
		return ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: q}))
	}
	open := func(a *app.App, want int) {
		t.Helper()
		if s := ok[app.Stats](t)(a.Stats(ctx, false)); s.Gaps != want {
			t.Errorf("%d open gaps, want %d", s.Gaps, want)
		}
	}
	mem := a.In("memory")
	first := log(mem, asked)
	again := log(mem.For(app.Caller{Space: "memory", Actor: kb.Actor{Kind: kb.Agent, Name: "claude"}}), "who negotiated  the zanzibar contract")
	if again.ID != first.ID || again.Count != 2 || again.By != "agent:claude" {
		t.Errorf("asked again: %+v", again)
	}
	if there := log(a.In("other"), asked); there.ID == first.ID || there.Space != "other" {
		t.Errorf("asked in another space: %+v", there)
	}
	open(mem, 1)

	done := ok[app.Gap](t)(mem.GapResolve(ctx, first.ID, "Contracts"))
	if done.Page != "memory:contracts" || done.ResolvedAt == nil || done.ResolvedBy != "human" {
		t.Errorf("resolved: %+v", done)
	}
	open(mem, 0)
	if l := ok[app.List[app.Gap]](t)(mem.Gaps(ctx, app.GapsRequest{})); l.Total != 0 {
		t.Errorf("still open: %+v", l)
	}
	if next := log(mem, asked); next.ID == first.ID || next.Count != 1 {
		t.Errorf("asked after it was resolved: %+v", next)
	}
	page := ok[app.List[app.Gap]](t)(mem.Gaps(ctx, app.GapsRequest{Resolved: true, All: true, Limit: 1, Offset: 1}))
	if page.Total != 3 || page.Next != "2" || len(page.Items) != 1 || page.Items[0].Space != "other" {
		t.Errorf("the second of all: %+v", page)
	}
}

// The answer is a page, wherever it is, and what was is not forgotten with it.
func TestGapFollowsItsPage(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	root := b.dir("notes", map[string]string{"a.md": "# Contracts\n\nAda did."})
	a := b.open()
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: root}))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	g := ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: asked}))
	page := func(after, want string) {
		t.Helper()
		l := ok[app.List[app.Gap]](t)(a.Gaps(ctx, app.GapsRequest{Resolved: true}))
		if len(l.Items) != 1 || l.Items[0].Page != want || l.Items[0].PageID == "" {
			t.Errorf("after %s: %+v, want page %q", after, l.Items, want)
		}
	}
	ok[app.Gap](t)(a.GapResolve(ctx, g.ID, "a"))
	page("resolving", "notes:a")
	ok[app.Written](t)(a.Move(ctx, app.MoveRequest{Ref: "a", To: "deals/b"}))
	page("a move", "notes:deals/b")
	if err := os.Rename(filepath.Join(root, "deals", "b.md"), filepath.Join(root, "c.md")); err != nil {
		t.Fatal(err)
	}
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	page("a move by another program", "notes:c")
	ok[app.Written](t)(a.Delete(ctx, app.DeleteRequest{Ref: "c"}))
	page("deleting", "")
	ok[app.Written](t)(a.Undo(ctx, app.UndoRequest{}))
	page("undo", "notes:c")

	// A backup holds it, and the space takes it along.
	ok[app.BackupResult](t)(a.Backup(ctx, "backup.db"))
	ok[app.Gap](t)(a.GapRemove(ctx, g.ID))
	if _, err := a.GapRemove(ctx, g.ID); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	ok[app.RestoredMemory](t)(app.RestoreMemory(ctx, b.opts, app.RestoreMemoryRequest{File: "backup.db"}))
	a = b.open()
	page("restoring the memory", "notes:c")
	ok[app.Space](t)(a.SpaceRemove(ctx, "notes"))
	if l := ok[app.List[app.Gap]](t)(a.Gaps(ctx, app.GapsRequest{Resolved: true, All: true})); l.Total != 0 {
		t.Errorf("the space is gone, and %+v are not", l.Items)
	}
}

func TestGapApproval(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	a := b.open()
	g := ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: asked}))
	agent := a.For(app.Caller{Actor: kb.Actor{Kind: kb.Agent, Name: "claude"}})
	type req = app.GapApproveRequest
	for name, c := range map[string]struct {
		a    *app.App
		req  req
		code kb.Code
	}{
		"to internal":           {a, req{Sensitivity: kb.GapInternal, Question: asked}, kb.Usage},
		"to nothing":            {a, req{Question: asked}, kb.Usage},
		"redacted, no wording":  {a, req{Sensitivity: kb.GapRedacted, Question: asked}, kb.Usage},
		"external, no question": {a, req{Sensitivity: kb.GapExternal, Redacted: "x"}, kb.Usage},
		"another question":      {a, req{Sensitivity: kb.GapExternal, Question: "Who?"}, kb.Invalid},
		"redacted as it was":    {a, req{Sensitivity: kb.GapRedacted, Redacted: asked}, kb.Invalid},
		"an agent":              {agent, req{Sensitivity: kb.GapExternal, Question: asked}, kb.Usage},
		"an agent for itself":   {agent, req{Sensitivity: kb.GapExternal, Question: asked, Approver: "Claude"}, kb.Usage},
		"itself, with its kind": {agent, req{Sensitivity: kb.GapExternal, Question: asked, Approver: "agent:claude"}, kb.Usage},
		"itself, in two words":  {agent, req{Sensitivity: kb.GapExternal, Question: asked, Approver: " cla-ude "}, kb.Usage},
		"another agent":         {agent, req{Sensitivity: kb.GapExternal, Question: asked, Approver: "Agent: reviewer"}, kb.Usage},
		"no such gap":           {a, req{ID: 99, Sensitivity: kb.GapExternal, Question: asked}, kb.NotFound},
		"too long":              {a, req{Sensitivity: kb.GapRedacted, Redacted: strings.Repeat("x", 5000)}, kb.Usage},
	} {
		if c.req.ID == 0 {
			c.req.ID = g.ID
		}
		if _, err := c.a.GapApprove(ctx, c.req); kb.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if l := ok[app.List[app.Gap]](t)(a.Gaps(ctx, app.GapsRequest{})); l.Items[0].Sensitivity != kb.GapInternal || l.Items[0].ApprovedAt != nil {
		t.Errorf("refused, and %+v", l.Items[0])
	}
	got := ok[app.Gap](t)(agent.GapApprove(ctx, req{ID: g.ID, Sensitivity: kb.GapRedacted, Redacted: "who makes contracts?", Approver: "Ada"}))
	if got.Sensitivity != kb.GapRedacted || got.Question != "" || got.Redacted != "who makes contracts?" ||
		got.Approver != "Ada" || got.Through != "agent:claude" || got.ApprovedAt == nil {
		t.Errorf("approved: %+v", got)
	}
	got = ok[app.Gap](t)(a.GapApprove(ctx, req{ID: g.ID, Sensitivity: kb.GapExternal, Question: asked}))
	if got.Sensitivity != kb.GapExternal || got.Question != asked || got.Redacted != "" || got.Approver != "human" || got.Through != "human" {
		t.Errorf("approved again: %+v", got)
	}
}

// What is kept of a gap is scanned as what is kept beside a page.
func TestGapHoldsNoSecret(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	a := b.open()
	secret := "the token is ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	g := ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: secret})) // only its hash is kept
	for name, do := range map[string]func(*app.App, []string) error{
		"log": func(a *app.App, allow []string) error {
			_, err := a.GapLog(ctx, app.GapLogRequest{Question: asked, Context: secret, AllowSecrets: allow})
			return err
		},
		"note": func(a *app.App, allow []string) error {
			_, err := a.GapNote(ctx, app.GapNoteRequest{ID: g.ID, Context: "where " + secret, AllowSecrets: allow})
			return err
		},
		"approve": func(a *app.App, allow []string) error {
			_, err := a.GapApprove(ctx, app.GapApproveRequest{ID: g.ID, Sensitivity: kb.GapExternal, Question: secret, AllowSecrets: allow})
			return err
		},
		"redact": func(a *app.App, allow []string) error {
			_, err := a.GapApprove(ctx, app.GapApproveRequest{ID: g.ID, Sensitivity: kb.GapRedacted, Redacted: secret + " and more", AllowSecrets: allow})
			return err
		},
	} {
		err := do(a, nil)
		if kb.CodeOf(err) != kb.Secret || strings.Contains(err.Error(), "a1B2") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rule := kb.AsError(err).Details["findings"].([]map[string]any)[0]["rule"].(string)
		if err := do(a, []string{rule}); err != nil {
			t.Errorf("%s with %s allowed: %v", name, rule, err)
		}
		if err := do(a, []string{"no-such-rule"}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s with a rule that is not there: %v", name, err)
		}
		if err := do(a.For(app.Caller{Actor: kb.Actor{Kind: kb.Agent, Name: secret}}), []string{}); kb.CodeOf(err) != kb.Secret && kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s by somebody of such a name: %v", name, err)
		}
	}
}

func TestGapRequestsThatAreRefused(t *testing.T) {
	ctx, b := context.Background(), newBed(t)
	a := b.open()
	nan := math.NaN()
	for name, req := range map[string]app.GapLogRequest{
		"no question": {Question: " \n"}, "no score": {Question: asked, Score: &nan},
		"long": {Question: strings.Repeat("x", 5000)}, "long context": {Question: asked, Context: strings.Repeat("x", 5000)},
	} {
		if _, err := a.GapLog(ctx, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	g := ok[app.Gap](t)(a.GapLog(ctx, app.GapLogRequest{Question: asked, Context: "the offer"}))
	if n := ok[app.Gap](t)(a.GapNote(ctx, app.GapNoteRequest{ID: g.ID, Context: "not in the archive\xff"})); n.Context != "not in the archive\uFFFD" || n.Count != 1 {
		t.Errorf("noted: %+v", n)
	}
	for _, text := range []string{"", " " + strings.ToUpper(asked) + "!!"} {
		if _, err := a.GapNote(ctx, app.GapNoteRequest{ID: g.ID, Context: text}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("a note of %q: %v", text, err)
		}
	}
	if _, err := a.GapResolve(ctx, g.ID, "nowhere"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("resolved by no page: %v", err)
	}
	// As with pages, what one project lacks is not another's gap.
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Name: "other", Database: true}))
	if _, err := a.GapLog(ctx, app.GapLogRequest{Question: asked}); kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("logged in one of two spaces: %v", err)
	}
}
