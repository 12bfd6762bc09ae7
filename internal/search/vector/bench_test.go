package vector

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// load makes an index of n vectors in pages of five.
func load(b *testing.B, dims, n int) *Index {
	x := New(dims, plain)
	blob := pack(b, dims, some(1, dims, 5))
	for page := range int64(n / 5) {
		if err := x.Put(page, blob); err != nil {
			b.Fatal(err)
		}
	}
	return x
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{50_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 1))
			x := New(384, plain)
			for page := range int64(n / 5) {
				vectors := some(uint64(page), 384, 5)
				if err := x.Put(page, pack(b, 384, vectors)); err != nil {
					b.Fatal(err)
				}
			}
			query := vec(rnd, 384)
			b.SetBytes(int64(n) * 384)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Search(query, 10, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b, 384, 50_000)
	}
}
