package scenarios_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// ages is the policy of a space whose relations act and whose near pages are linked.
const ages = "name = \"notes\"\nformat = \"markdown\"\n[capture]\nauto_tags = true\nauto_link = 0.5\nrecord = true\n" +
	"[lifecycle]\nstale_after = 60\neffects = { supersedes = \"stale\" }\ntransitions = { active = [\"stale\"], stale = [\"active\", \"compacted\"] }\n"

// ageing is a scene whose space has that policy, and these pages.
func (b *faultBed) ageing(t *testing.T, pages map[string]string) *scene {
	t.Helper()
	s := b.scene(t)
	replace(t, s.files, ".cairn/space.toml", ages)
	apptest.Accept(t, s.app, "notes")
	for name, text := range pages {
		replace(t, s.files, name, text)
	}
	apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes"}))(t)
	return s
}

// reopened is the scene as the next process finds it, with the files as a crash left them.
func (s *scene) reopened(keep fsys.Keep) {
	s.t.Helper()
	if err := s.app.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.files = s.files.CrashClone(keep)
	s.open()
}

// A capture with links, those that it makes by itself and those that act, is stopped
// before every call to the file system: the page is there with all of it, and what it
// replaces is stale, or nothing is.
func TestCrashOfACapture(t *testing.T) {
	slowtest.Skip(t, "a capture dies at each of its calls")
	bed := newFaultBed(t)
	const near = "Kiln two overshoots by fourteen degrees because the loop integrates slowly."
	pages := map[string]string{"kiln.md": near + "\n", "old.md": "# Old\n\nThe kiln is precise.\n", "ender.md": "# Ender\n\n- supersedes [[d/b]]\n"}
	outcomes := map[bool]int{}
	t.Parallel()
	for n := 1; ; n++ {
		name, keep := unflushed(n)
		s := bed.ageing(t, pages)
		s.count.crash(n)
		_, err := ingest.Capture(t.Context(), s.app, api.CaptureRequest{
			Text: near + " Maren says so.", Links: []string{"a"}, Supersedes: []string{"old", "c"}, Keep: true,
		})
		calls := s.count.disarm()
		s.reopened(keep)
		apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes", Full: true}))(t)
		made := 0
		for _, p := range apptest.OK(retrieve.Pages(t.Context(), s.app, retrieve.ListRequest{}))(t).Items {
			text := apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: p.Ref}))(t).Text
			if strings.Contains(text, "Maren says so.") {
				made++
				for _, want := range []string{"source: capture", "- supersedes [[old]]", "- supersedes [[c]]", "- relates_to [[a]]", "- related [[kiln]] (auto "} {
					if !strings.Contains(text, want) {
						t.Errorf("call %d, %s: no %q in\n%s", n, name, want, text)
					}
				}
			}
			if got := fsystest.Get(t, s.files, p.Path); got != text {
				t.Errorf("call %d, %s: the file of %s says %q, the memory %q", n, name, p.Ref, got, text)
			}
		}
		outcomes[made == 1]++
		for _, ref := range []string{"old", "c"} {
			p := apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: ref}))(t)
			if stale := p.Status == kb.Stale && strings.Contains(p.Text, "stale_reason: superseded by "); made > 1 || stale != (made == 1) {
				t.Errorf("call %d, %s (%v): %d pages were made, and %s is %s:\n%s", n, name, err, made, ref, p.Status, p.Text)
			}
		}
		if left := apptest.OK(apptest.Unfinished(t.Context(), s.app))(t); left != 0 {
			t.Errorf("call %d, %s: %d writes are unfinished", n, name, left)
		}
		s.close()
		if calls < n && err != nil {
			t.Error(err)
		}
		if calls < n || t.Failed() {
			break
		}
	}
	if outcomes[true] < 3 || outcomes[false] < 3 {
		t.Errorf("%d times it was there, %d times not", outcomes[true], outcomes[false])
	}
}

// unflushed says whether what was not flushed is lost, in turn.
func unflushed(n int) (name string, keep fsys.Keep) {
	if n%2 == 0 {
		return "kept", fsys.KeepAll
	}
	return "lost", fsys.KeepNone
}

// A write whose relation acts on another page is stopped before calls to the file system:
// both pages are as it makes them, or both as they were.
func TestCrashOfARelationThatActs(t *testing.T) {
	t.Parallel()
	bed, step := newFaultBed(t), slowtest.Step(5)
	const new, line = "# New\n\nThe kiln overshoots.\n", "- supersedes [[old]]"
	pages := map[string]string{
		"old.md": "# Old\n\nThe kiln is precise.\n", "new.md": new,
		"past.md": "---\nstatus: stale\nstale_since: 2026-01-02\nstale_reason: superseded by ender\n---\n# Past\n", "ender.md": "# Ender\n\n- supersedes [[past]]\n",
	}
	for what, c := range map[string]struct {
		do        func(t *testing.T, s *scene) error
		page, act string // the page with the relation, and the one on which it acts
		ends      bool   // the relation ends, so that the page is active again
	}{
		"link": {func(t *testing.T, s *scene) error {
			_, err := links.Add(t.Context(), s.app, api.LinkRequest{From: "new", Type: "supersedes", To: "old"})
			return err
		}, "new", "old", false},
		"edit": {func(t *testing.T, s *scene) error {
			_, err := change.EditPage(t.Context(), s.app, change.EditRequest{Ref: "new", Edits: []doc.Edit{doc.Append{Text: line + "\n"}}})
			return err
		}, "new", "old", false},
		"put": {func(t *testing.T, s *scene) error {
			_, err := change.Put(t.Context(), s.app, change.PutRequest{Ref: "new", Text: []byte(new + "\n" + line + "\n"), Overwrite: true})
			return err
		}, "new", "old", false},
		"unlink": {func(t *testing.T, s *scene) error {
			_, err := links.Remove(t.Context(), s.app, api.LinkRequest{From: "ender", Type: "supersedes", To: "past"})
			return err
		}, "ender", "past", true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			outcomes := map[bool]int{}
			for n := 1; ; n += step {
				name, keep := unflushed(n)
				s := bed.ageing(t, pages)
				s.count.crash(n)
				err := c.do(t, s)
				calls := s.count.disarm()
				s.reopened(keep)
				apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes", Full: true}))(t)
				page, act := apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: c.page}))(t), apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: c.act}))(t)
				done := strings.Contains(page.Text, "- supersedes [[") != c.ends
				outcomes[done]++
				if stale := act.Status == kb.Stale && strings.Contains(act.Text, "stale_reason: superseded by "); stale != (done != c.ends) {
					t.Errorf("call %d, %s (%v): done %v, and %s is %s:\n%s", n, name, err, done, c.act, act.Status, act.Text)
				}
				for _, p := range []api.Text{page, act} {
					if got := fsystest.Get(t, s.files, p.Path); got != p.Text {
						t.Errorf("call %d, %s: the file of %s says %q, the memory %q", n, name, p.Ref, got, p.Text)
					}
				}
				if left := apptest.OK(apptest.Unfinished(t.Context(), s.app))(t); left != 0 {
					t.Errorf("call %d, %s: %d writes are unfinished", n, name, left)
				}
				s.close()
				if calls < n && err != nil {
					t.Error(err)
				}
				if calls < n || t.Failed() {
					break
				}
			}
			if step == 1 && min(outcomes[true], outcomes[false]) < 3 {
				t.Errorf("%d times it was done, %d times not", outcomes[true], outcomes[false])
			}
		})
	}
}

// An editor saves a page at the very instant of every third call to the file system while a
// compaction writes its cluster: what it saved is in the file, or in the history of the
// page, and the cluster is compacted whole or waits.
func TestAnEditorSavesDuringACompaction(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "an editor saves at each call of a compaction")
	bed := newFaultBed(t)
	pages := map[string]string{"hub.md": "See [[m1]].\n"}
	for i := range 3 {
		pages[fmt.Sprintf("m%d.md", i)] = fmt.Sprintf("---\nstatus: stale\n---\nWe decided on number %d, since it is long enough for a summary. Some more words are here.\n\n- related [[m%d]]\n", i, (i+1)%3)
	}
	const saved = "---\nstatus: stale\n---\nBy the editor.\n"
	outcomes := map[string]int{}
	for n := 1; ; n += 3 {
		s := bed.ageing(t, pages)
		plan := apptest.OK(compact.MakePlan(t.Context(), s.app, compact.PlanRequest{}))(t)
		if len(plan.Clusters) != 1 || len(plan.Clusters[0].Members) != 3 {
			t.Fatalf("%+v", plan)
		}
		plan.Clusters[0].Title, plan.Clusters[0].Summary = "Sum", "Numbers."
		did := s.count.meanwhile(n, func() { replace(t, s.files, "m1.md", saved) })
		r, err := compact.Compact(t.Context(), s.app, compact.Request{Plan: &plan})
		s.count.disarm()
		if !did() {
			s.close()
			break
		}
		if err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
		state := string(r.Clusters[0].State)
		outcomes[state]++
		file := fsystest.Get(t, s.files, "m1.md")
		apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes", Full: true}))(t)
		kept := strings.Contains(file, "By the editor.")
		for _, v := range apptest.OK(history.List(t.Context(), s.app, history.ListRequest{Ref: "m1"}))(t).Items {
			old, err := read.Get(t.Context(), s.app, read.GetRequest{Ref: "m1", Version: v.Version})
			kept = kept || err == nil && strings.Contains(old.Text, "By the editor.")
		}
		if !kept {
			t.Errorf("call %d: %s, and what the editor saved is nowhere: %q", n, state, file)
		}
		whole := 0
		for i := range 3 {
			m := apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: fmt.Sprint("m", i)}))(t)
			if m.Status == kb.Compacted && strings.Contains(m.Text, "- compacted_into [[Sum]]") {
				whole++
			}
			if got := fsystest.Get(t, s.files, path.Base(m.Path)); got != m.Text {
				t.Errorf("call %d: %s is %q on the disk and %q in the memory", n, m.Ref, got, m.Text)
			}
		}
		_, err = read.Get(t.Context(), s.app, read.GetRequest{Ref: "sum"})
		hub := fsystest.Get(t, s.files, "hub.md")
		switch state {
		case "waiting":
			if whole != 0 || kb.CodeOf(err) != kb.NotFound || hub != pages["hub.md"] || file != saved {
				t.Errorf("call %d: it waits, %d pages are compacted, the summary: %v, hub %q, m1 %q", n, whole, err, hub, file)
			}
		case "compacted":
			// What was saved after the write is the page's next version.
			if err != nil || whole < 2 || whole == 2 && file != saved || !strings.Contains(hub, "[[Sum|m1]]") {
				t.Errorf("call %d: compacted, %d pages are, the summary: %v, hub %q, m1 %q", n, whole, err, hub, file)
			}
		default:
			t.Errorf("call %d: %s", n, state)
		}
		s.close()
		if t.Failed() {
			return
		}
	}
	if outcomes["waiting"] < 3 || outcomes["compacted"] < 1 {
		t.Errorf("%v: the editor saves at the wrong times", outcomes)
	}
}
