package gitsync_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// changed replaces text in a file of a device, as an editor does.
func (d *device) changed(name, old, now string) {
	d.t.Helper()
	at := filepath.Join(d.root, name)
	text := string(apptest.OK(os.ReadFile(at))(d.t))
	if !strings.Contains(text, old) {
		d.t.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	if err := os.WriteFile(at, []byte(strings.Replace(text, old, now, 1)), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// What a person edited is committed with the day of the edit and with the index, as theirs. A
// day that they set themselves stays.
func TestCommitOfAPerson(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	d := newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	for _, name := range []string{"p", "q"} {
		if err := d.put(name, "Begun."); err != nil {
			t.Fatal(err)
		}
		d.changed(name+".org", ":UPDATED: 2026-11-25", ":UPDATED: 2026-01-02")
	}
	apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t)
	if got := d.git("show", "HEAD:p.org"); !strings.Contains(got, ":UPDATED: 2026-01-02") {
		t.Fatalf("a day that a person set is replaced:\n%s", got)
	}

	d.changed("p.org", "A page.", "A page of Ada.")
	d.changed("q.org", ":UPDATED: 2026-01-02", ":UPDATED: 2026-10-01")
	ada := d.a.For(memory.Caller{Actor: kb.Actor{Kind: kb.Human, Name: "emacs"}})
	done := apptest.OK(gitsync.Commit(t.Context(), ada, gitsync.Request{Refs: []string{"p"}}))(t)
	if !slices.Contains(done.Files, "p.org") || done.Commit == "" {
		t.Errorf("committed: %+v", done)
	}
	if got := d.git("show", "--name-only", "--format=%s", "HEAD"); got != "commit: p.org, index.org\n\nindex.org\np.org" {
		t.Errorf("the commit is\n%s", got)
	}
	if got := d.git("log", "-1", "--format=%B"); !strings.Contains(got, "Cairn-Actor: human:emacs") {
		t.Errorf("the commit says\n%s", got)
	}
	if got := d.git("show", "HEAD:p.org"); !strings.Contains(got, ":UPDATED: 2026-11-25") {
		t.Errorf("the page is\n%s", got)
	}
	if got := d.git("show", "HEAD:index.org"); !strings.Contains(got, "A page of Ada. | general | 2026-11-25") {
		t.Errorf("the index is\n%s", got)
	}
	if got := d.git("status", "--porcelain"); got != " M q.org" {
		t.Errorf("git status: %q", got)
	}

	// An agent that has it committed is not its author.
	agent := d.a.For(memory.Caller{Actor: kb.AgentNamed("a")})
	apptest.OK(gitsync.Commit(t.Context(), agent, gitsync.Request{All: true}))(t)
	if got := d.git("log", "-1", "--format=%B"); !strings.Contains(got, "Cairn-Actor: sync") {
		t.Errorf("the commit says\n%s", got)
	}
	if got := d.git("show", "HEAD:q.org"); !strings.Contains(got, ":UPDATED: 2026-10-01") {
		t.Errorf("the page is\n%s", got)
	}
}

// While somebody has unsaved edits of a page that the remote changed, others go on writing
// other pages; when they are saved, a pull brings both sides together.
func TestUnsavedBufferStopsNobody(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	start := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	one := newDevice(t, home, "one", true, start)
	for _, name := range []string{"p", "q"} {
		if err := one.put(name, "Begun."); err != nil {
			t.Fatal(err)
		}
	}
	apptest.OK(gitsync.Commit(t.Context(), one.a, gitsync.Request{All: true}))(t)
	one.push()
	two := newDevice(t, home, "two", false, start)
	two.write(func() error { return two.append("p", "From the other device.") })
	two.push()

	lock := filepath.Join(one.root, ".#p.org")
	if err := os.Symlink("ada@elsewhere.example.1", lock); err != nil {
		t.Skip("there are no symbolic links")
	}
	agent := one.a.For(memory.Caller{Actor: kb.AgentNamed("a")})
	one.git("fetch", "-q")
	appendTo := func(name string) error {
		_, err := change.EditPage(t.Context(), agent, change.EditRequest{Ref: name, Edits: []doc.Edit{doc.Append{Text: "More."}}})
		return err
	}
	for range 2 { // behind, then diverged
		if err := appendTo("q"); err != nil {
			t.Fatalf("another page: %v", err)
		}
	}
	if err := appendTo("p"); kb.AsError(err).Reason != kb.UnsavedEdits {
		t.Errorf("the page itself: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := appendTo("q"); kb.AsError(err).Reason != kb.GitDiverged {
		t.Errorf("when it is saved: %v", err)
	}
	one.pull()
	if got := string(apptest.OK(os.ReadFile(filepath.Join(one.root, "p.org")))(t)); !strings.Contains(got, "From the other device.") {
		t.Errorf("the page is\n%s", got)
	}
	if got := string(apptest.OK(os.ReadFile(filepath.Join(one.root, "q.org")))(t)); strings.Count(got, "More.") != 2 {
		t.Errorf("the other page is\n%s", got)
	}
}

// The index lists a page that is not committed, since it has a fatal fault, as it is in the last
// commit, whoever writes beside it; one that no commit has is not listed.
func TestIndexListsWhatIsCommitted(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	d := newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	for _, name := range []string{"good", "open", "dead", "origin"} {
		if err := d.put(name, "Begun."); err != nil {
			t.Fatal(err)
		}
		d.changed(name+".org", "A page.", "The page "+name+".")
	}
	apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t)
	before := d.git("show", "HEAD:index.org")

	d.changed("open.org", ":END:\n", "")
	d.changed("dead.org", "The page dead.", "Another summary.")
	d.changed("dead.org", "Begun.", "[[id:11111111-2222-4333-8444-555555555555][gone]]")
	origin := string(apptest.OK(os.ReadFile(filepath.Join(d.root, "origin.org")))(t))
	for name, text := range map[string]string{"copy.org": origin, "new.org": "#+title: No drawer\n"} {
		if err := os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed := func(after string) {
		t.Helper()
		if got := d.git("show", "HEAD:index.org"); got != before {
			t.Errorf("after %s the index is\n%s\nand was\n%s", after, got, before)
		}
		if stale := apptest.OK(change.UpdateIndexFiles(t.Context(), d.a, true))(t).Stale; len(stale) > 0 {
			t.Errorf("after %s these are stale: %v", after, stale)
		}
	}
	d.changed("good.org", "Begun.", "Begun, and changed.")
	done := apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t)
	if !slices.Contains(done.Files, "good.org") || len(done.Left) == 0 {
		t.Errorf("the commit is %+v", done)
	}
	listed("a commit of all")
	if err := d.append("good", "More."); err != nil {
		t.Fatal(err)
	}
	listed("a write")
	// Writes follow the change set there, too.
	s := apptest.OK(d.a.Spaces.OpenCurrent(t.Context()))(t)
	follows := func() {
		t.Helper()
		if !apptest.OK(d.a.Writer.Cataloged(t.Context(), s))(t) {
			t.Error("the next write lists all pages")
		}
	}
	follows()
	for _, name := range []string{"b", "n", "z"} { // before, between and after the pages left out
		if err := d.put(name, "Begun."); err != nil {
			t.Fatal(err)
		}
		follows()
		if got := apptest.OK(change.UpdateIndexFiles(t.Context(), d.a, true))(t).Stale; len(got) > 0 {
			t.Errorf("after a new page these are stale: %v", got)
		}
	}
	d.changed("dead.org", "#+title: ", "#+title: Zebra ")
	for _, name := range []string{"c", "zz"} {
		if err := d.put(name, "Begun."); err != nil {
			t.Fatal(err)
		}
		follows()
		if got := apptest.OK(change.UpdateIndexFiles(t.Context(), d.a, true))(t).Stale; len(got) > 0 {
			t.Errorf("after another title these are stale: %v", got)
		}
	}
	before = d.git("show", "HEAD:index.org")
	if strings.Contains(before, "Zebra") {
		t.Errorf("the index is\n%s", before)
	}
	if _, err := change.UpdateIndexFiles(t.Context(), d.a, false); err != nil {
		t.Fatal(err)
	}
	listed("a new index")

	d.git("checkout", "--", ".")
	for _, name := range []string{"copy.org", "new.org"} {
		if err := os.Remove(filepath.Join(d.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.append("good", "And more."); err != nil {
		t.Fatal(err)
	}
	listed("the faults are gone")
	if got := d.git("status", "--porcelain"); got != "" {
		t.Errorf("git status: %q", got)
	}
}

// What is over is not reported any more: a page that was reverted, a remote that is back, a
// job whose work somebody did.
func TestOverIsNotReported(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	d := newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	if err := d.put("p", "Begun."); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t)
	d.push()
	problems := func() string {
		var out []string
		for _, p := range apptest.OK(state.Describe(t.Context(), d.a))(t).Problems {
			if p.Name == "git kb" || p.Name == "maintenance" {
				out = append(out, p.Reason)
			}
		}
		return strings.Join(out, "\n")
	}
	if got := problems(); got != "" {
		t.Fatalf("at first: %s", got)
	}

	d.changed("p.org", "#+title:", "#+subtitle:")
	if left := apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t).Left; len(left) == 0 || !strings.Contains(problems(), "p.org") {
		t.Fatalf("a fault: %+v, %s", left, problems())
	}
	d.git("checkout", "--", "p.org")
	if got := problems(); got != "" {
		t.Errorf("after the page was reverted: %s", got)
	}

	remote := filepath.Join(home, "remote")
	if err := os.Rename(remote, remote+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := d.append("p", "More."); err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.Push(t.Context(), d.a); err == nil {
		t.Fatal("pushed to a remote that is away")
	}
	report := apptest.OK(jobs.Maintain(t.Context(), d.a, jobs.MaintainRequest{Jobs: []string{"push"}, Force: true}))(t)
	if report.Items[0].State != api.JobFailed || !strings.Contains(problems(), "1 job failed") {
		t.Fatalf("the job: %+v, %s", report.Items[0], problems())
	}
	if err := os.Rename(remote+"-away", remote); err != nil {
		t.Fatal(err)
	}
	d.push()
	if got := problems(); got != "" {
		t.Errorf("after the remote is back: %s", got)
	}
}
