package scenarios_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var (
	flips    = flag.Int("app.flips", 0, "how many bits are flipped, in one copy of the memory each; -1 is every page, five times; 0 is some")
	flipSeed = flag.Uint64("app.flipseed", 2, "seed of which bits are flipped")
)

// clean are the codes with which reading may fail. Of a damaged schema the
// engine says no more than that a query means nothing.
var clean = []kb.Code{kb.Damaged, kb.Internal, kb.NotFound, kb.Invalid}

// sqlitePage is the page size of our databases, in bytes.
const sqlitePage = 8192

// A memory with a bit flipped gives the answers that it gave, or says that it
// is damaged when it is read, or validate finds it. Nothing else: no wrong
// answer that nobody can notice, no panic.
func TestFlippedBitsAreNeverSilent(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	b, whole, before := flippable(t)
	rng := rand.New(rand.NewPCG(*flipSeed, 0))
	pages := len(whole) / sqlitePage
	n := *flips
	switch n {
	case 0:
		n = slowtest.Count(20, 90)
	case -1:
		n = 5 * pages
	}
	order := rng.Perm(pages)
	var harmless, failed, found int
	for i := range n {
		at := order[i%pages]*sqlitePage + rng.IntN(sqlitePage)
		bit := byte(1) << rng.IntN(8)
		damaged := bytes.Clone(whole)
		damaged[at] ^= bit
		what := fmt.Sprintf("bit %#x of byte %d in page %d", bit, at%sqlitePage, at/sqlitePage+1)
		writeDatabase(t, b, damaged)
		valid, after, err := examine(b)
		switch {
		case !valid && err == nil:
			found++
		case err != nil && (!slices.Contains(clean, kb.CodeOf(err)) || apptest.Words(kb.AsError(err)) == ""):
			t.Errorf("%s: %v, hint %q", what, err, apptest.Words(kb.AsError(err)))
		case err != nil:
			failed++
		case after != before:
			t.Errorf("%s: validate finds nothing, and the answers differ: %s", what, cmp.Diff(before, after))
		default:
			harmless++
		}
	}
	t.Logf("%d flips in %d pages: %d were found by validate, %d made reading fail, %d changed nothing", n, pages, found, failed, harmless)
	if found == 0 || slowtest.On() && failed == 0 { // few bits make reading fail
		t.Error("the flips show nothing")
	}
}

// flippable makes a memory that holds something of everything, and returns it
// with its bytes and answers.
func flippable(t *testing.T) (b *apptest.Bed, whole []byte, answers string) {
	t.Helper()
	b, _, _ = backedUp(t)
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	for i := range 8 {
		ref := fmt.Sprintf("mem:note%d", i)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte(strings.Repeat(fmt.Sprintf("word%d and [[note%d]] #tag%d\n", i, i+1, i), 40*i+1))}))(t)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte("later " + ref + "\n"), Overwrite: true}))(t)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	whole = apptest.OK(os.ReadFile(b.Database()))(t)
	if len(whole)%sqlitePage != 0 || int(whole[16])<<8|int(whole[17]) != sqlitePage {
		t.Fatalf("%d bytes are no pages of %d", len(whole), sqlitePage)
	}
	valid, answers, err := examine(b)
	if err != nil || !valid {
		t.Fatalf("the whole memory: valid %v, %v", valid, err)
	}
	return b, whole, answers
}

func writeDatabase(t *testing.T, b *apptest.Bed, content []byte) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(b.Database() + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(b.Database(), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// examine reads all that the memory at b can be asked for, and says whether
// validate finds it sound.
func examine(b *apptest.Bed) (valid bool, answers string, err error) {
	ctx := context.Background()
	a, err := memory.Open(ctx, b.Opts, false)
	if err != nil {
		return false, "", err
	}
	defer func() {
		if closeErr := a.Close(); err == nil {
			err = closeErr
		}
	}()
	checks, err := doctor.Validate(ctx, a, false)
	if err != nil {
		return false, "", err
	}
	answers, err = ask(ctx, a)
	if slices.ContainsFunc(checks, func(c api.Check) bool { return c.State != "ok" }) {
		return false, "", nil // whatever reading says now
	}
	return true, answers, err
}

func ask(ctx context.Context, a *memory.Session) (string, error) {
	var b bytes.Buffer
	note := func(v any, err error) error {
		if err != nil {
			return err
		}
		return json.NewEncoder(&b).Encode(v)
	}
	if _, err := doctor.Dump(ctx, a, io.Discard); err != nil {
		return "", err
	}
	// What the history says of itself carries no checksum; it has to be read
	// without a crash.
	if _, err := history.Recent(ctx, a, history.RecentRequest{All: true, Limit: 1000}); err != nil {
		return "", err
	}
	if err := note(a.Spaces.List(ctx)); err != nil {
		return "", err
	}
	for _, words := range []string{"engine", "met", "word3", "later", "tag:math", "code writes"} {
		found, err := read.Search(ctx, a, retrieve.SearchRequest{Query: words, All: true, Limit: 100})
		var refs []string
		for _, hit := range found.Items {
			refs = append(refs, hit.Ref+" "+hit.Title)
		}
		if err := note(refs, err); err != nil {
			return "", err
		}
	}
	for i := range 8 {
		ref := fmt.Sprintf("mem:note%d", i)
		for v := range 3 {
			page, err := read.Get(ctx, a, read.GetRequest{Ref: ref, Version: v})
			if err := note(page.Text, err); err != nil {
				return "", err
			}
		}
		if _, err := links.List(ctx, a, api.LinksRequest{Ref: ref}); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// What is left of a memory whose every page has a flipped bit brings back
// nothing; the documents of its directory do, as the refusal says.
func TestMemoryOfFlippedBitsIsRebuilt(t *testing.T) {
	t.Parallel()
	b, whole, _ := flippable(t)
	for page := range len(whole) / sqlitePage {
		whole[page*sqlitePage+page%100] ^= 1
	}
	writeDatabase(t, b, whole)
	_, err := memory.Open(context.Background(), b.Opts, false)
	if kb.CodeOf(err) != kb.Damaged || kb.AsError(err).Reason != kb.NotAMemory {
		t.Fatalf("%v, reason %q", err, kb.AsError(err).Reason)
	}
	if err := os.Rename(b.Database(), b.Database()+".damaged"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(b.Database() + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	a := b.Open()
	ctx := context.Background()
	apptest.OK(a.Spaces.Attach(ctx, filepath.Join(b.Home, "garden")))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	if checks := apptest.OK(doctor.Validate(ctx, a, false))(t); slices.ContainsFunc(checks, func(c api.Check) bool { return c.State != "ok" }) {
		t.Errorf("%+v", checks)
	}
	if found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "engine"}))(t); found.Total == 0 {
		t.Error("nothing is found")
	}
}
