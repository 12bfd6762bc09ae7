package vector

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// fastest is the kernel that a process would use here, or the one that
// CAIRN_CPU names.
func fastest(b *testing.B) Kernel {
	k, err := kernel.Select(os.Getenv(kernel.EnvVar))
	if err != nil {
		b.Fatal(err)
	}
	return k.Dots
}

// load makes an index of n vectors in pages of five.
func load(b *testing.B, dims, n int) *Index {
	x := New(dims, fastest(b))
	const per = 32
	info, values := pack(b, dims, some(1, dims, 5))
	for number := range int64(n / 5 / per) {
		pages := make([]Page, per)
		for i := range pages {
			pages[i] = Page{number*per + int64(i), info, len(values)}
		}
		x.Put(number, pages, bytes.Repeat(values, per))
	}
	return x
}

// BenchmarkSearch looks for few, and for as many as a question asks for.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{50_000, 200_000} {
		rnd := rand.New(rand.NewPCG(1, 1))
		x := New(384, fastest(b))
		for page := range int64(n / 5) {
			put(b, x, page, some(uint64(page), 384, 5))
		}
		query := vec(rnd, 384)
		for _, k := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%d/%d", n, k), func(b *testing.B) {
				b.SetBytes(int64(n) * 384)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := x.Search(query, k, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b, 384, 50_000)
	}
}
