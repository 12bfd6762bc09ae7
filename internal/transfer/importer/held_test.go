package importer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// weighing is a context that, each so many times it is asked, looks at how much is in use.
type weighing struct {
	context.Context
	mu    sync.Mutex
	asked int
	most  uint64
}

func (w *weighing) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked++; w.asked%2000 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapAlloc)
	}
	return w.Context.Err()
}

// What an import holds of each page is less than the page says, of some 7,000 bytes, and
// its receipt names the first pages only.
func TestHeldByImport(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "imports thousands of long pages")
	const few, many, words, most = 1200, 3000, 180, 3000
	said := strings.Repeat("a word or two of what is known here ", words)
	for _, c := range []struct {
		name string
		make func(t *testing.T, n int) string
		ask  func(context.Context, *memory.Session, string) (importer.Receipt, error)
	}{
		{"directory", func(t *testing.T, n int) string {
			dir := t.TempDir()
			for i := range n {
				text := fmt.Sprintf("---\ntags: [one, two]\n---\n\n# Page %d\n\n%s %d\n", i, said, i)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page%05d.md", i)), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return dir
		}, func(ctx context.Context, a *memory.Session, from string) (importer.Receipt, error) {
			return importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "kept", Request: importer.Request{File: from}})
		}},
		{"memory-json", func(t *testing.T, n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "{\"type\":\"entity\",\"name\":\"Page %d\",\"entityType\":\"thing\",\"observations\":[\"%s%d\"]}\n", i, said, i)
			}
			for i := range n {
				fmt.Fprintf(&b, "{\"type\":\"relation\",\"from\":\"Page %d\",\"to\":\"Page %d\",\"relationType\":\"knows\"}\n", i, n-1-i)
			}
			return export(t, "memory.json", b.String())
		}, func(ctx context.Context, a *memory.Session, from string) (importer.Receipt, error) {
			return importer.ImportExport(ctx, a, importer.ExportRequest{Program: importer.MemoryJSON, Into: "kept", Request: importer.Request{File: from}})
		}},
		{"quaid", func(t *testing.T, n int) string {
			file := filepath.Join(t.TempDir(), "memory.db")
			if err := foreigntest.Many(t.Context(), file, n-foreigntest.PlainPages, said); err != nil {
				t.Fatal(err)
			}
			return file
		}, func(ctx context.Context, a *memory.Session, from string) (importer.Receipt, error) {
			return importer.ImportExport(ctx, a, importer.ExportRequest{Program: importer.Quaid, Into: "kept", Request: importer.Request{File: from}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var held [2]uint64
			for i, n := range []int{few, many} {
				from := c.make(t, n)
				w := &weighing{Context: t.Context()}
				r := apptest.OK(c.ask(w, apptest.New(t).Open(), from))(t)
				if r.Total != n || len(r.Pages) > 1000 || w.most == 0 {
					t.Fatalf("%d pages, %d of them listed, and %d bytes", r.Total, len(r.Pages), w.most)
				}
				held[i] = w.most
			}
			each := (max(held[1], held[0]) - held[0]) / (many - few)
			if each > most {
				t.Errorf("%d bytes are held of each page, more than %d", each, most)
			}
		})
	}
}
