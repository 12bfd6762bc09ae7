package app_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// A damaged memory is refused with what to do, and doing it brings back
// everything that the documents say. Ids that documents do not carry are made
// of the space's, which is a new space here.
func TestDamagedMemoryIsRebuiltFromDocuments(t *testing.T) {
	ctx := context.Background()
	b, _, _ := backedUp(t)
	a := b.open()
	before := dump(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.database(), []byte(strings.Repeat("lost\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := app.Open(ctx, b.opts, false)
	if kb.CodeOf(err) != kb.Damaged || !strings.Contains(kb.AsError(err).Hint, "move the file away") {
		t.Fatalf("%v, hint %q", err, kb.AsError(err).Hint)
	}
	if err := os.Rename(b.database(), b.database()+".damaged"); err != nil {
		t.Fatal(err)
	}
	a = b.open()
	ok[app.Space](t)(a.Attach(ctx, "garden"))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	differs := regexp.MustCompile(`"(id|to)":"[^"]*",?`)
	if diff := cmp.Diff(differs.ReplaceAllString(before, ""), differs.ReplaceAllString(dump(t, a), "")); diff != "" {
		t.Error(diff)
	}
}
