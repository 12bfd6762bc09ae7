package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// BenchmarkLargePages writes large pages, all sent at once, and says what the
// process took from the system, which never shrinks, and what it allocated, both
// per byte of a page.
func BenchmarkLargePages(b *testing.B) {
	const size = 8 << 20
	for _, pages := range []int{1, 4} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			for b.Loop() {
				m := memory.NewLazy(memory.Options{
					Hooks: upkeep.Hooks(),
					Place: space.Place{Env: func(string) string { return "" }, Dir: b.TempDir(), Home: b.TempDir()},
					Now:   time.Now, Actor: kb.Actor{Kind: kb.Agent},
				})
				s := New(Options{Memory: m})
				var in bytes.Buffer
				fmt.Fprintln(&in, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
				fmt.Fprintln(&in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				for i := range pages {
					line := fmt.Sprintf("Words of page %d in a line.\n", i)
					args, err := json.Marshal(map[string]string{"ref": fmt.Sprint("p", i), "text": strings.Repeat(line, size/len(line))})
					if err != nil {
						b.Fatal(err)
					}
					fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":%s}}`+"\n", i, args)
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var out bytes.Buffer
				if err := s.Run(b.Context(), io.NopCloser(&in), &out); err != nil {
					b.Fatal(err)
				}
				if strings.Contains(out.String(), `"isError":true`) || strings.Count(out.String(), "\n") != pages+1 {
					b.Fatalf("%.500s", out.String())
				}
				runtime.ReadMemStats(&after)
				if err := m.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(after.Sys-before.Sys)/size, "sys/byte")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/size/float64(pages), "alloc/byte")
			}
		})
	}
}
