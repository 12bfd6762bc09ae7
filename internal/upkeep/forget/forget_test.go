package forget_test

import (
	"bytes"
	"context"
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
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/forget"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The words of the page to forget, which nothing else has: one of its path, one of its first
// text, and one of its last.
const (
	pathWord = "zorblattkweh"
	oldWord  = "quxiflornade"
	newWord  = "vrimmelsnork"
)

// secretText is long enough to be stored compressed, and has facts of all kinds.
func secretText(word string) string {
	return "# The " + word + " affair\n\nWhat " + word + " said about the merger must not be known to anybody.\n\n" +
		strings.Repeat("A sentence about "+word+" and the meeting in the harbour of Trondheim.\n", 20) +
		"\n- [fact] " + word + " signed the papers in the night #" + word + "\n- knows [[Other page]] (" + word + ")\n- [ ] call " + word + " back\n"
}

// bed is a memory with a database space and a directory, with a page to forget in each.
func bed(t *testing.T) (*apptest.Bed, *memory.Session, string) {
	t.Helper()
	ctx := t.Context()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"other.md":           "# Other page\n\nAbout something else, and nothing in common.\n",
		pathWord + "/one.md": secretText(oldWord),
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: oldWord, All: true}))(t) // syncs both pages in one batch
	for _, s := range []string{"mem", "notes"} {
		if s == "mem" {
			put(t, a, "mem:"+pathWord+"/one", secretText(oldWord), false)
			put(t, a, "mem:other", "# Other page\n\nAbout something else, and nothing in common.\n", false)
		}
		put(t, a, s+":"+pathWord+"/one", secretText(newWord), true)
	}
	// Merged segments of the full-text index hold words of texts that were replaced.
	must(t, a.DB.Update(ctx, func(tx store.Tx) error { return a.Index.Text().Merge(ctx, tx.Lexical()) }))
	must(t, a.DB.Update(ctx, func(tx store.Tx) error {
		all := apptest.OK(tx.Spaces().All(ctx))(t)
		for _, s := range all {
			page := apptest.OK(tx.Pages().ByPath(ctx, s.Row, pathWord+"/one.md"))(t)[0]
			g := kb.Gap{Space: s.Row, Hash: sha256.Sum256([]byte("q")), Words: "who is " + newWord, Context: "asked for " + newWord, Last: time.Now(), Asker: a.Actor}
			must(t, tx.Gaps().Log(ctx, &g))
			g.Words = "who is " + newWord
			g.Answer = &kb.GapAnswer{Page: page.ID, Space: s.Row, Time: time.Now(), Actor: a.Actor}
			must(t, tx.Gaps().Update(ctx, g))
			must(t, tx.Lives().Use(ctx, s.Row, []kb.ID{page.ID}, "2026-01-01"))
			raw := []byte("the source said: " + oldWord + " was here")
			must(t, tx.Batches().Add(ctx, &kb.Batch{ID: "b-" + s.Name, Space: s.Row, Kind: "ingest", Source: "x", Created: time.Now()},
				[]store.BatchItem{{Path: "x.txt", Page: page.ID, Hash: sha256.Sum256(raw), Bytes: raw}}))
		}
		return nil
	}))
	return b, a, root
}

func put(t *testing.T, a *memory.Session, ref, text string, over bool) api.Written {
	t.Helper()
	return apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: over}))(t)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holding returns which files of the database hold one of the words, in any case.
func holding(t *testing.T, a *memory.Session, words ...string) (found []string) {
	t.Helper()
	for _, name := range a.DB.(store.Scrubber).Files() {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		must(t, err)
		for _, w := range words {
			w = w[:min(len(w), 8)] // the index stores what words of neighbours do not share
			if bytes.Contains(bytes.ToLower(text), []byte(w)) {
				found = append(found, filepath.Base(name)+": "+w)
			}
		}
	}
	return found
}

func TestForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b, a, root := bed(t)
	if len(holding(t, a, pathWord, oldWord, newWord)) < 3 {
		t.Fatal("the files do not hold the words before: nothing would be tested")
	}
	writes := apptest.OK(history.Recent(ctx, a, history.RecentRequest{All: true}))(t)
	var write int64
	for _, v := range writes.Items {
		if v.Path == pathWord+"/one.md" {
			write = v.Write
		}
	}
	receipt := filepath.Join(b.Home, "receipt.json")
	refs := []string{"mem:" + pathWord + "/one", "notes:" + pathWord + "/one"}

	dry := apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: refs, DryRun: true, Receipt: receipt}))(t)
	if len(dry.Pages) != 2 || dry.Versions < 4 || holding(t, a, newWord) == nil {
		t.Fatalf("the dry run: %+v", dry)
	}
	out := apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: refs, Receipt: receipt}))(t)
	if !out.Verified || out.Gaps != 2 || out.Items != 2 || out.Texts < 3 {
		t.Errorf("the answer: %+v", out)
	}
	if found := holding(t, a, pathWord, oldWord, newWord); found != nil {
		t.Errorf("the files still hold %v", found)
	}
	if _, err := os.Stat(filepath.Join(root, pathWord, "one.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there still: %v", err)
	}
	for _, w := range []string{oldWord, newWord} {
		if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: w, All: true}))(t); len(r.Items) > 0 {
			t.Errorf("a search for %s finds %v", w, r.Items)
		}
	}
	if _, _, err := history.PlanUndo(ctx, a, history.UndoRequest{Write: write}); kb.CodeOf(err) != kb.Refused || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("undo of a forgotten write: %v", err)
	}
	if _, err := freshness.Page(ctx, a, "mem:other"); err != nil {
		t.Errorf("the other page: %v", err)
	}

	text := apptest.OK(os.ReadFile(receipt))(t)
	for _, w := range []string{pathWord, oldWord, newWord} {
		if bytes.Contains(text, []byte(w)) {
			t.Errorf("the receipt holds %s", w)
		}
	}
	if info := apptest.OK(os.Stat(receipt))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the receipt has the mode %v", info.Mode())
	}
	clean := apptest.OK(forget.Verify(ctx, a, receipt, nil))(t)
	if !clean.Clean() || clean.Marks < 20 {
		t.Errorf("verify: %+v", clean)
	}

	// A copy of the file that holds it, and a page with the text, are found.
	copied := filepath.Join(b.Home, "copy.txt")
	must(t, os.WriteFile(copied, []byte(strings.Repeat("x", 1<<20-20)+secretText(newWord)), 0o600))
	if v := apptest.OK(forget.Verify(ctx, a, receipt, []string{copied}))(t); len(v.Found) != 1 || !strings.Contains(v.Found[0], "copy.txt at byte 10485") {
		t.Errorf("verify of a file with the text: %+v", v)
	}
	put(t, a, "mem:again", secretText(oldWord), false)
	if v := apptest.OK(forget.Verify(ctx, a, receipt, nil))(t); v.Clean() {
		t.Error("verify does not find the text that was written again")
	}
}

// dying is a database that does no more after so many steps of the caller.
type dying struct {
	store.Engine
	steps int
}

var errDied = errors.New("died")

func (d *dying) step() error {
	if d.steps--; d.steps < 0 {
		return errDied
	}
	return nil
}

func (d *dying) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Engine.Update(ctx, f)
}

func (d *dying) Scrub(ctx context.Context) (int64, error) {
	if err := d.step(); err != nil {
		return 0, err
	}
	return d.Engine.(store.Scrubber).Scrub(ctx)
}

func (d *dying) Files() []string { return d.Engine.(store.Scrubber).Files() }

func TestInterruptedForgetIsFinished(t *testing.T) {
	t.Parallel()
	for steps := 0; ; steps++ {
		b, a, _ := bed(t)
		ctx := t.Context()
		live := a.DB
		req := forget.Request{Match: newWord, All: true, Receipt: filepath.Join(b.Home, "receipt.json")}
		d := &dying{live, steps}
		sess := *a
		sess.DB = d
		_, err := forget.Pages(ctx, &sess, req)
		if err != nil && !errors.Is(err, errDied) {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		died := err != nil
		if died {
			req.Receipt = filepath.Join(b.Home, "second.json")
			if _, err := os.Stat(filepath.Join(b.Home, "receipt.json")); err == nil {
				req.Receipt = filepath.Join(b.Home, "third.json")
			}
			out := apptest.OK(forget.Pages(ctx, a, req))(t)
			if !out.Verified {
				t.Errorf("after %d steps: %+v", steps, out)
			}
		}
		if found := holding(t, a, pathWord, newWord); found != nil {
			t.Errorf("after %d steps the files hold %v", steps, found)
		}
		req.Receipt = filepath.Join(b.Home, "none.json")
		if again := apptest.OK(forget.Pages(ctx, a, req))(t); len(again.Pages) > 0 || again.Resumed {
			t.Errorf("after %d steps there is more to do: %+v", steps, again)
		}
		if !died {
			if steps < 4 {
				t.Errorf("a call has %d steps", steps)
			}
			return
		}
	}
}

// A credential that was taken out of a page is in its old versions alone: these go, and the
// page stays.
func TestForgetSecretsInOldVersions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	const token = "ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU"
	leak := "# Deploy\n\nThe token is " + token + " for the release job.\n"
	apptest.OK(change.Put(ctx, a, change.PutRequest{WriteOptions: api.WriteOptions{AllowSecrets: []string{"github-token"}}, Ref: "mem:deploy", Text: []byte(leak)}))(t)
	put(t, a, "mem:deploy", "# Deploy\n\nThe token is in the vault.\n", true)
	if holding(t, a, strings.ToLower(token)) == nil {
		t.Fatal("the files do not hold the token before")
	}
	out := apptest.OK(forget.Pages(ctx, a, forget.Request{Secret: true, All: true, Receipt: filepath.Join(b.Home, "r.json")}))(t)
	if len(out.Pages) != 1 || out.Pages[0].Whole || out.Versions != 1 {
		t.Errorf("the answer: %+v", out)
	}
	if found := holding(t, a, strings.ToLower(token)); found != nil {
		t.Errorf("the files still hold the token: %v", found)
	}
	if p := apptest.OK(freshness.Page(ctx, a, "mem:deploy"))(t); p.Version != 2 {
		t.Errorf("the page: %+v", p)
	}
	if req, skipped, err := history.PlanUndo(ctx, a, history.UndoRequest{Write: 2}); err != nil || len(req.Changes) > 0 || len(skipped) != 1 {
		t.Errorf("undo brings the token back: %+v %+v %v", req.Changes, skipped, err)
	}
}

func TestForgetByActorAndQuery(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	bot := a.As(kb.Actor{Kind: kb.Agent, Name: "bot"})
	put(t, bot, "mem:own", "# Own\n\nPurple herring.\n", false)
	put(t, bot, "mem:both", "# Both\n\nGreen herring.\n", false)
	put(t, a, "mem:both", "# Both\n\nGreen herring, said a person.\n", true)
	put(t, a, "mem:mine", "# Mine\n\nA blue whale.\n", false)
	receipt := func(n int) string { return filepath.Join(b.Home, fmt.Sprint(n)) }

	out := apptest.OK(forget.Pages(ctx, a, forget.Request{Actor: kb.Actor{Name: "bot"}, All: true, Receipt: receipt(1)}))(t)
	if len(out.Pages) != 1 || out.Pages[0].Ref != "mem:own" || !slices.Equal(out.Left, []string{"mem:both.md: others wrote it, too"}) {
		t.Errorf("by actor: %+v", out)
	}
	out = apptest.OK(forget.Pages(ctx, a, forget.Request{Query: "green herring", All: true, Receipt: receipt(2)}))(t)
	if len(out.Pages) != 1 || out.Pages[0].Ref != "mem:both" {
		t.Errorf("by query: %+v", out)
	}
	if _, err := forget.Pages(ctx, a, forget.Request{Query: "blue elephant whale", All: true, Receipt: receipt(3)}); err == nil {
		t.Error("a page with some of the words is forgotten")
	}
	if _, err := forget.Pages(ctx, bot, forget.Request{Refs: []string{"mem:mine"}, Receipt: receipt(4)}); kb.CodeOf(err) != kb.Refused {
		t.Errorf("an agent: %v", err)
	}
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "mem:mine"}))(t)
	out = apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: []string{"mem:mine"}, Receipt: receipt(5)}))(t)
	if len(out.Pages) != 1 || !out.Pages[0].Deleted || holding(t, a, "blue whale") != nil {
		t.Errorf("a deleted page: %+v", out)
	}
}

// A message of a write, a question and a note may quote the title of a removed page. They
// stay and are listed, with a command that removes them, and the removal is complete.
func TestForgetLeavesWhatQuotesATitle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	mem := apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	const title = "Severance terms of Grundtvig"
	put(t, a, "mem:deal", "# "+title+"\n\nNine months of pay.\n", false)
	apptest.OK(change.Put(ctx, a, change.PutRequest{WriteOptions: api.WriteOptions{Message: "Link to " + title}, Ref: "mem:other", Text: []byte("# Other\n\nText.\n")}))(t)
	must(t, a.DB.Update(ctx, func(tx store.Tx) error {
		all := apptest.OK(tx.Spaces().All(ctx))(t)
		i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Name == mem.Name })
		return tx.Gaps().Log(ctx, &kb.Gap{Space: all[i].Row, Hash: sha256.Sum256([]byte("q")), Words: "what are the " + title, Last: time.Now(), Asker: a.Actor})
	}))
	receipt := func(n int) string { return filepath.Join(b.Home, fmt.Sprint(n)) }
	out := apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: []string{"mem:deal"}, Receipt: receipt(1)}))(t)
	left := strings.Join(out.Left, "\n")
	for _, want := range []string{"1 question with a part of it: cairn forget --match '", "1 write message with a part of it: cairn forget --match '"} {
		if !strings.Contains(left, want) {
			t.Errorf("left is\n%s\nand lacks %q", left, want)
		}
	}
	text := string(apptest.OK(os.ReadFile(receipt(1)))(t))
	if !out.Verified || strings.Contains(text, "Severance") || !strings.Contains(text, "1 question with a part of it") {
		t.Errorf("verified %v, the receipt is %s", out.Verified, text)
	}
	if v := apptest.OK(forget.Verify(ctx, a, receipt(1), nil))(t); !v.Clean() {
		t.Errorf("verify: %+v", v)
	}
	_, expr, _ := strings.Cut(out.Left[0], "--match '")
	again := apptest.OK(forget.Pages(ctx, a, forget.Request{Match: strings.TrimSuffix(expr, "'"), All: true, Receipt: receipt(2)}))(t)
	if again.Resumed || len(again.Pages) > 0 || holding(t, a, "severance") != nil {
		t.Errorf("the command that was listed: %+v, the files hold %v", again, holding(t, a, "severance"))
	}
}

func TestForgetNamesTheOriginalsOfImports(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	notes := b.Dir("old notes", map[string]string{"one.md": "# One\n\nThe first of two notes.\n", "two.md": "# Two\n\nThe second of two notes.\n"})
	export := filepath.Join(b.Dir("takeout", map[string]string{
		"notes.json": `{"activeNotes":[{"id":"a","content":"Garden\r\nPlant the beans."},{"id":"b","content":"Kitchen\r\nBake the bread."}]}`,
	}), "notes.json")
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Request: importer.Request{File: notes}, Into: "mem"}))(t)
	apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{Request: importer.Request{File: export}, Program: "simplenote", Into: "mem"}))(t)
	put(t, a, "mem:own", "# Own\n\nWritten here.\n", false)
	originals := func(ref string, dry bool) (found []string) {
		out := apptest.OK(forget.Pages(ctx, a, forget.Request{Refs: []string{ref}, DryRun: dry, Receipt: filepath.Join(b.Home, strings.ReplaceAll(ref, ":", "-")+".json")}))(t)
		for _, place := range out.Beyond {
			if strings.HasPrefix(place.What, "the original") {
				found = append(found, place.What+"|"+strings.Join(place.Commands, "; "))
			}
		}
		return found
	}
	one := filepath.Join(notes, "one.md")
	for _, c := range []struct {
		ref, want string
		dry       bool
	}{
		{"mem:one", "the original " + one + ", imported|rm '" + one + "'", true},
		{"mem:garden", "the original of an import (from " + export + "), imported|", false},
		{"mem:kitchen", "the original of an import (its file is not recorded any more), imported|", false},
		{"mem:own", "", false},
	} {
		if got := strings.Join(originals(c.ref, c.dry), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.ref, got, c.want)
		}
	}
}
