package scenarios_test

import (
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A damaged memory is refused with what to do, and doing it brings back
// everything that the documents say. Ids that documents do not carry are made
// of the space's, which is a new space here.
func TestDamagedMemoryIsRebuiltFromDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b, _, _ := backedUp(t)
	a := b.Open()
	before := dump(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.Database(), []byte(strings.Repeat("lost\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := memory.Open(ctx, b.Opts, false)
	if kb.CodeOf(err) != kb.Damaged || kb.AsError(err).Reason != kb.NotAMemory {
		t.Fatalf("%v, reason %q", err, kb.AsError(err).Reason)
	}
	if err := os.Rename(b.Database(), b.Database()+".damaged"); err != nil {
		t.Fatal(err)
	}
	a = b.Open()
	apptest.OK(a.Spaces.Attach(ctx, "garden"))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	differs := regexp.MustCompile(`"(id|to)":"[^"]*",?`)
	if diff := cmp.Diff(differs.ReplaceAllString(before, ""), differs.ReplaceAllString(dump(t, a), "")); diff != "" {
		t.Error(diff)
	}
}
