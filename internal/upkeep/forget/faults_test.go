package forget_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/forget"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An old title that matches takes the versions that have it, not the page.
func TestForgetOldTitle(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "mem"}))(t)
	put(t, a, "mem:plan", "# Zebrafinch plan\n\nText.\n", false)
	put(t, a, "mem:plan", "# The plan\n\nText of now.\n", true)
	out := apptest.OK(forget.Pages(t.Context(), a, forget.Request{Match: "Zebrafinch", All: true, Receipt: filepath.Join(b.Home, "r")}))(t)
	if len(out.Pages) != 1 || out.Pages[0].Whole || out.Versions != 1 || holding(t, a, "zebrafinch") != nil {
		t.Errorf("the answer: %+v, the files hold %v", out, holding(t, a, "zebrafinch"))
	}
	if p := apptest.OK(freshness.Page(t.Context(), a, "mem:plan"))(t); p.Title != "The plan" {
		t.Errorf("the page: %+v", p)
	}
}

// One space limits questions, sources and messages as well, and they are counted before.
func TestForgetInOneSpace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	raw := []byte("a source about the zebrafinch")
	for _, name := range []string{"one", "two"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: name}))(t)
		apptest.OK(change.Put(ctx, a, change.PutRequest{WriteOptions: api.WriteOptions{Message: "zebrafinch"}, Ref: name + ":other", Text: []byte("# Other\n\nText of " + name + ".\n")}))(t)
	}
	must(t, a.DB.Update(ctx, func(tx store.Tx) error {
		for _, s := range apptest.OK(tx.Spaces().All(ctx))(t) {
			must(t, tx.Gaps().Log(ctx, &kb.Gap{Space: s.Row, Hash: sha256.Sum256([]byte(s.Name)), Words: "what is a zebrafinch", Last: time.Now(), Asker: a.Actor}))
			must(t, tx.Batches().Add(ctx, &kb.Batch{ID: "b-" + s.Name, Space: s.Row, Kind: "ingest", Source: "x", Created: time.Now()},
				[]store.BatchItem{{Path: "x.txt", Hash: sha256.Sum256(raw), Bytes: raw}}))
		}
		return nil
	}))
	count := func(r api.ForgetResult) string { return fmt.Sprint(r.Gaps, r.Items, r.Messages, r.Dismissals) }
	one := a.In("one")
	dry := apptest.OK(forget.Pages(ctx, one, forget.Request{Match: "zebrafinch", DryRun: true, Receipt: filepath.Join(b.Home, "r")}))(t)
	if got := count(dry); got != "1 1 1 0" {
		t.Errorf("the dry run counts %s", got)
	}
	apptest.OK(forget.Pages(ctx, one, forget.Request{Match: "zebrafinch", Receipt: filepath.Join(b.Home, "r")}))(t)
	dry = apptest.OK(forget.Pages(ctx, a, forget.Request{Match: "zebrafinch", All: true, DryRun: true, Receipt: filepath.Join(b.Home, "s")}))(t)
	if got := count(dry); got != "1 1 1 0" {
		t.Errorf("of the other space are left %s", got)
	}
}

// A page that was restored after an interrupted call stays, whatever is forgotten next.
func TestForgetLeavesWhatWasRestored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for steps := 1; ; steps++ {
		b := apptest.New(t)
		a := b.Open()
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
		put(t, a, "mem:kept", "# Kept\n\nA page.\n", false)
		put(t, a, "mem:other", "# Other\n\nText.\n", false)
		sess := *a
		sess.DB = &dying{a.DB, steps}
		if _, err := forget.Pages(ctx, &sess, forget.Request{Refs: []string{"mem:kept"}, Receipt: filepath.Join(b.Home, "r")}); !errors.Is(err, errDied) {
			t.Fatalf("after %d steps no page was deleted and restored: %v", steps, err)
		}
		if _, err := freshness.Page(ctx, a, "mem:kept"); err == nil {
			continue // it died before the deletion
		}
		unfinished := func() bool {
			checks := apptest.OK(doctor.Doctor(ctx, a, false))(t)
			return slices.ContainsFunc(checks, func(c api.Check) bool { return c.Name == "unfinished removal" && c.State == "warning" })
		}
		if !unfinished() {
			t.Error("doctor does not report the interrupted call")
		}
		apptest.OK(change.Undo(ctx, a.In("mem"), history.UndoRequest{}))(t)
		req := forget.Request{Refs: []string{"mem:other"}, DryRun: true, Receipt: filepath.Join(b.Home, "r")}
		if dry := apptest.OK(forget.Pages(ctx, a, req))(t); !dry.Resumed || len(dry.Pages) != 1 || dry.Pages[0].Ref != "mem:kept" {
			t.Errorf("the dry run hides the plan: %+v", dry)
		}
		req.DryRun = false
		out := apptest.OK(forget.Pages(ctx, a, req))(t)
		if !out.Resumed || len(out.Pages) != 0 || !strings.Contains(strings.Join(out.Left, "\n"), "mem:kept: it was written or restored since") {
			t.Errorf("the answer: %+v", out)
		}
		if unfinished() {
			t.Error("doctor reports a call that was finished")
		}
		for _, ref := range []string{"mem:kept", "mem:other"} {
			if _, err := freshness.Page(ctx, a, ref); err != nil {
				t.Errorf("%s: %v", ref, err)
			}
		}
		return
	}
}

func TestForgetRefusesQueriesForAllPages(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "mem"}))(t)
	put(t, a, "mem:kept", "# Kept\n\nA page.\n", false)
	for _, query := range []string{"*", "-absent", "-tag:absent", "NOT absent"} {
		if _, err := forget.Pages(t.Context(), a, forget.Request{Query: query, All: true, DryRun: true}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("the query %s: %v", query, err)
		}
	}
}

// A space whose rules refuse deletions is skipped and listed.
func TestForgetSkipsReadOnlySpaces(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	root := b.Dir("sessions", map[string]string{
		".cairn/space.toml": "[permissions]\ndefault = \"deny\"\n", "s.md": "# S\n\nThe zebrafinch was here.\n",
	})
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Name: "sessions"}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "mem"}))(t)
	put(t, a, "mem:bird", "# Bird\n\nA zebrafinch.\n", false)
	out := apptest.OK(forget.Pages(t.Context(), a, forget.Request{Match: "zebrafinch", All: true, Receipt: filepath.Join(b.Home, "r")}))(t)
	left := strings.Join(out.Left, "\n")
	if len(out.Pages) != 1 || out.Pages[0].Ref != "mem:bird" || !strings.Contains(left, "1 page of sessions: ") || !strings.Contains(left, "cairn space rm --purge sessions") {
		t.Errorf("the answer: %+v", out)
	}
}

// What cannot be read is not clean, and a whole text without marks is found by its hash.
func TestVerifyOfFiles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	const text = "pin 482913570264\n"
	put(t, a, "mem:pin", text, false)
	receipt := filepath.Join(b.Home, "r")
	apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: []string{"mem:pin"}, Receipt: receipt}))(t)
	for content, want := range map[string]string{
		text:                             "[%s, the whole file] []",
		"other text\n":                   "[] []",
		"\x1f\x8b\x08 compressed":        "[] [%s (gzip)]",
		"\x28\xb5\x2f\xfd compressed":    "[] [%s (zstd)]",
		"PK\x03\x04 compressed":          "[] [%s (zip)]",
		"age-encryption.org/v1\n-> X ab": "[] [%s (age)]",
	} {
		name := filepath.Join(b.Home, "file")
		must(t, os.WriteFile(name, []byte(content), 0o600))
		v := apptest.OK(forget.Verify(ctx, a, receipt, []string{name}))(t)
		if want := strings.ReplaceAll(want, "%s", name); fmt.Sprint(v.Found, v.Unreadable) != want || v.Clean() != (want == "[] []") {
			t.Errorf("%q: %v %v, want %s", content, v.Found, v.Unreadable, want)
		}
	}
	if v := apptest.OK(forget.Verify(ctx, a, receipt, nil))(t); v.Marks != 0 {
		t.Errorf("a number that can be guessed has %d marks", v.Marks)
	}
}

// What the rules of a space allow stays in its questions, sources and messages as well.
func TestForgetSecretsByTheRulesOfTheSpace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	const credential = "AKIA" + "Q3EGRTPVXW7ZLMND"
	key := secrets.Scan([]byte(credential), secrets.Options{})
	if len(key) != 1 {
		t.Fatalf("the scan finds %v", key)
	}
	root := b.Dir("open", map[string]string{".cairn/space.toml": "[secrets]\nallow = [\"" + key[0].Rule + "\"]\n", "p.md": "# P\n\nText.\n"})
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "open", Accept: true}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "strict"}))(t)
	raw := []byte("a source with " + credential)
	for _, name := range []string{"open", "strict"} {
		put(t, a, name+":q", "# Q\n\nText of "+name+".\n", false)
	}
	must(t, a.DB.Update(ctx, func(tx store.Tx) error {
		for _, s := range apptest.OK(tx.Spaces().All(ctx))(t) {
			g := kb.Gap{Space: s.Row, Hash: sha256.Sum256([]byte(s.Name)), Words: "where is " + credential, Last: time.Now(), Asker: a.Actor}
			must(t, tx.Gaps().Log(ctx, &g))
			must(t, tx.Batches().Add(ctx, &kb.Batch{ID: "b-" + s.Name, Space: s.Row, Kind: "ingest", Source: "x", Created: time.Now()},
				[]store.BatchItem{{Path: "x.txt", Hash: sha256.Sum256([]byte(s.Name + string(raw))), Bytes: append([]byte(s.Name), raw...)}}))
			must(t, tx.History().Record(ctx, &kb.Write{Time: time.Now(), Actor: a.Actor, Operation: "put", Message: "with " + credential}, []*store.NewVersion{
				{Version: kb.Version{Space: s.Row, Page: "4b1f8c52-9c5e-4f0a-8f57-0a3c1c2b7d10", Path: "q.md", Title: "Q", Change: kb.Created}},
			}))
		}
		return nil
	}))
	for name, want := range map[string]string{"open": "0 0 0", "strict": "1 1 1", "": "1 1 1"} {
		sess, all := a, true
		if name != "" {
			sess, all = a.In(name), false
		}
		r := apptest.OK(forget.Pages(ctx, sess, forget.Request{Secret: true, All: all, DryRun: true, Receipt: filepath.Join(b.Home, "r")}))(t)
		if got := fmt.Sprint(r.Gaps, r.Items, r.Messages); got != want {
			t.Errorf("in %q are selected %s, want %s", name, got, want)
		}
	}
}
