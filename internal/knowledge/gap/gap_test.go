package gap_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

const asked = "Who negotiated the Zanzibar contract?"

// filesOf returns what is on disk of the memory.
func filesOf(b *apptest.Bed) []byte {
	b.T.Helper()
	names, err := filepath.Glob(b.Database() + "*")
	if err != nil || len(names) == 0 {
		b.T.Fatalf("there is no memory: %v", err)
	}
	var out []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil && filepath.Ext(name) != ".locks" {
			b.T.Fatal(err)
		}
		out = append(out, text...)
	}
	return out
}

// The words of a question are kept for this machine until the gap is removed, without
// credentials; they are no approval. A space may keep the hash alone.
func TestGapKeepsItsWordsHere(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: "  " + asked + "\n"}))(t)
	if g.Words != asked || g.Question != "" || g.Sensitivity != kb.GapInternal {
		t.Errorf("logged %+v", g)
	}
	again := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: "who negotiated the zanzibar contract"}))(t)
	if again.ID != g.ID || again.Words != asked {
		t.Errorf("logged again %+v", again)
	}
	noted := apptest.OK(gap.Note(ctx, a, gap.NoteRequest{ID: g.ID, Context: "not in the mails"}))(t)
	if noted.Words != again.Words {
		t.Errorf("with a note %+v", noted)
	}
	secret := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: "Does AKIAIOSFODNN7EXAMPLQ still work?"}))(t)
	if strings.Contains(secret.Words, "AKIA") {
		t.Errorf("kept %q", secret.Words)
	}
	apptest.OK(gap.Remove(ctx, a, g.ID))(t)
	if list := apptest.OK(gap.List(ctx, a, gap.ListRequest{}))(t); len(list.Items) != 1 {
		t.Errorf("after a removal %+v", list)
	}
}

// With gap_hash_only nothing of a question's wording reaches the disk before somebody
// approved that, and nothing of it is answered.
func TestGapHashOnly(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "one", Text: []byte("One.")}))(t)
	apptest.OK(a.Spaces.Set(ctx, space.SetRequest{Name: "memory", Key: "gap_hash_only", Value: "true"}))(t)
	score := 0.125
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: asked, Context: " writing the offer\n", Score: &score}))(t)
	if g.Space != "memory" || g.Count != 1 || g.Context != "writing the offer" || *g.Score != score || g.By != "human" ||
		g.Sensitivity != kb.GapInternal || g.Hash != kb.QuestionHash(asked).String() || g.Question+g.Redacted+g.Approver != "" {
		t.Errorf("logged %+v", g)
	}
	list := apptest.OK(gap.List(ctx, a, gap.ListRequest{}))(t)
	if diff := cmp.Diff(api.List[api.Gap]{Items: []api.Gap{g}, Total: 1}, list); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if bytes.Contains(filesOf(b), []byte("Zanzibar")) || bytes.Contains(filesOf(b), []byte("zanzibar")) {
		t.Error("the question is on disk")
	}
	_, err := gap.Log(ctx, a, gap.LogRequest{Question: asked, Context: strings.ToUpper(asked)})
	if kb.CodeOf(err) != kb.Usage {
		t.Errorf("the question as its own context: %v", err)
	}
	apptest.OK(gap.Approve(ctx, a, gap.ApproveRequest{ID: g.ID, Sensitivity: kb.GapExternal, Question: asked}))(t)
	if !bytes.Contains(filesOf(b), []byte("Zanzibar")) {
		t.Error("the approved question is not on disk, so this test finds nothing")
	}
}

func TestGapIsCountedWhileItIsOpen(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "contracts", Text: []byte("Ada did.")}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "other", Database: true}))(t)
	log := func(a *memory.Session, q string) api.Gap {
		t.Helper()
		return apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: q}))(t)
	}
	open := func(a *memory.Session, want int) {
		t.Helper()
		if s := apptest.OK(state.CountStats(ctx, a, false))(t); s.Gaps != want {
			t.Errorf("%d open gaps, want %d", s.Gaps, want)
		}
	}
	mem := a.In("memory")
	first := log(mem, asked)
	again := log(mem.For(memory.Caller{Space: "memory", Actor: kb.Actor{Kind: kb.Agent, Name: "claude"}}), "who negotiated  the zanzibar contract")
	if again.ID != first.ID || again.Count != 2 || again.By != "agent:claude" || again.Words != first.Words {
		t.Errorf("asked again: %+v", again)
	}
	if there := log(a.In("other"), asked); there.ID == first.ID || there.Space != "other" {
		t.Errorf("asked in another space: %+v", there)
	}
	open(mem, 1)

	done := apptest.OK(gap.ResolveWith(ctx, mem, first.ID, "Contracts"))(t)
	if done.Page != "memory:contracts" || done.ResolvedAt == nil || done.ResolvedBy != "human" {
		t.Errorf("resolved: %+v", done)
	}
	open(mem, 0)
	if l := apptest.OK(gap.List(ctx, mem, gap.ListRequest{}))(t); l.Total != 0 {
		t.Errorf("still open: %+v", l)
	}
	if next := log(mem, asked); next.ID == first.ID || next.Count != 1 {
		t.Errorf("asked after it was resolved: %+v", next)
	}
	page := apptest.OK(gap.List(ctx, mem, gap.ListRequest{Resolved: true, All: true, Limit: 1, Offset: 1}))(t)
	if page.Total != 3 || page.Next != "2" || len(page.Items) != 1 || page.Items[0].Space != "other" {
		t.Errorf("the second of all: %+v", page)
	}
}

// The answer is a page, wherever it is, and what was is not forgotten with it.
func TestGapFollowsItsPage(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "# Contracts\n\nAda did."})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: asked}))(t)
	page := func(after, want string) {
		t.Helper()
		l := apptest.OK(gap.List(ctx, a, gap.ListRequest{Resolved: true}))(t)
		if len(l.Items) != 1 || l.Items[0].Page != want || l.Items[0].PageID == "" {
			t.Errorf("after %s: %+v, want page %q", after, l.Items, want)
		}
	}
	apptest.OK(gap.ResolveWith(ctx, a, g.ID, "a"))(t)
	page("resolving", "notes:a")
	apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "a", To: "deals/b"}))(t)
	page("a move", "notes:deals/b")
	if err := os.Rename(filepath.Join(root, "deals", "b.md"), filepath.Join(root, "c.md")); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	page("a move by another program", "notes:c")
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "c"}))(t)
	page("deleting", "")
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{}))(t)
	page("undo", "notes:c")

	// A backup holds it, and the space takes it along.
	apptest.OK(backup.Backup(ctx, a, "backup.db"))(t)
	apptest.OK(gap.Remove(ctx, a, g.ID))(t)
	if _, err := gap.Remove(ctx, a, g.ID); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	apptest.OK(backup.Restore(ctx, b.Opts, backup.RestoreRequest{File: "backup.db"}))(t)
	a = b.Open()
	page("restoring the memory", "notes:c")
	apptest.OK(a.Spaces.Remove(ctx, space.RemoveRequest{Name: "notes"}))(t)
	if l := apptest.OK(gap.List(ctx, a, gap.ListRequest{Resolved: true, All: true}))(t); l.Total != 0 {
		t.Errorf("the space is gone, and %+v are not", l.Items)
	}
}

func TestGapApproval(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: asked}))(t)
	agent := a.For(memory.Caller{Actor: kb.Actor{Kind: kb.Agent, Name: "claude"}})
	type req = gap.ApproveRequest
	for name, c := range map[string]struct {
		a    *memory.Session
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
		if _, err := gap.Approve(ctx, c.a, c.req); kb.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if l := apptest.OK(gap.List(ctx, a, gap.ListRequest{}))(t); l.Items[0].Sensitivity != kb.GapInternal || l.Items[0].ApprovedAt != nil {
		t.Errorf("refused, and %+v", l.Items[0])
	}
	got := apptest.OK(gap.Approve(ctx, agent, req{ID: g.ID, Sensitivity: kb.GapRedacted, Redacted: "who makes contracts?", Approver: "Ada"}))(t)
	if got.Sensitivity != kb.GapRedacted || got.Question != "" || got.Redacted != "who makes contracts?" ||
		got.Approver != "Ada" || got.Through != "agent:claude" || got.ApprovedAt == nil {
		t.Errorf("approved: %+v", got)
	}
	got = apptest.OK(gap.Approve(ctx, a, req{ID: g.ID, Sensitivity: kb.GapExternal, Question: asked}))(t)
	if got.Sensitivity != kb.GapExternal || got.Question != asked || got.Redacted != "" || got.Approver != "human" || got.Through != "human" {
		t.Errorf("approved again: %+v", got)
	}
}

// What is kept of a gap is scanned as what is kept beside a page.
func TestGapHoldsNoSecret(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	secret := "the token is ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: secret}))(t) // only its hash is kept
	for name, do := range map[string]func(*memory.Session, []string) error{
		"log": func(a *memory.Session, allow []string) error {
			_, err := gap.Log(ctx, a, gap.LogRequest{Question: asked, Context: secret, AllowSecrets: allow})
			return err
		},
		"note": func(a *memory.Session, allow []string) error {
			_, err := gap.Note(ctx, a, gap.NoteRequest{ID: g.ID, Context: "where " + secret, AllowSecrets: allow})
			return err
		},
		"approve": func(a *memory.Session, allow []string) error {
			_, err := gap.Approve(ctx, a, gap.ApproveRequest{ID: g.ID, Sensitivity: kb.GapExternal, Question: secret, AllowSecrets: allow})
			return err
		},
		"redact": func(a *memory.Session, allow []string) error {
			_, err := gap.Approve(ctx, a, gap.ApproveRequest{ID: g.ID, Sensitivity: kb.GapRedacted, Redacted: secret + " and more", AllowSecrets: allow})
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
		if err := do(a.For(memory.Caller{Actor: kb.Actor{Kind: kb.Agent, Name: secret}}), []string{}); kb.CodeOf(err) != kb.Secret && kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s by somebody of such a name: %v", name, err)
		}
	}
}

func TestGapRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	ctx, b := context.Background(), apptest.New(t)
	a := b.Open()
	nan := math.NaN()
	for name, req := range map[string]gap.LogRequest{
		"no question": {Question: " \n"}, "no score": {Question: asked, Score: &nan},
		"long": {Question: strings.Repeat("x", 5000)}, "long context": {Question: asked, Context: strings.Repeat("x", 5000)},
	} {
		if _, err := gap.Log(ctx, a, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: asked, Context: "the offer"}))(t)
	if n := apptest.OK(gap.Note(ctx, a, gap.NoteRequest{ID: g.ID, Context: "not in the archive\xff"}))(t); n.Context != "not in the archive\uFFFD" || n.Count != 1 {
		t.Errorf("noted: %+v", n)
	}
	for _, text := range []string{"", " " + strings.ToUpper(asked) + "!!"} {
		if _, err := gap.Note(ctx, a, gap.NoteRequest{ID: g.ID, Context: text}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("a note of %q: %v", text, err)
		}
	}
	if _, err := gap.ResolveWith(ctx, a, g.ID, "nowhere"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("resolved by no page: %v", err)
	}
	// As pages, gaps go to the space that the first of them made.
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "other", Database: true}))(t)
	if g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: asked}))(t); g.Space != "memory" {
		t.Errorf("logged in %s", g.Space)
	}
}
