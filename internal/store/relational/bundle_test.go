package relational

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// someBundle has pages with and without info and values.
func someBundle(rnd *rand.Rand) (b bundle) {
	for i := range b {
		if rnd.IntN(3) > 0 {
			b[i] = pieces{bytes.Repeat([]byte{byte(i)}, 1+rnd.IntN(4)), bytes.Repeat([]byte{^byte(i)}, rnd.IntN(9))}
		}
	}
	return b
}

func TestBundle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		want := someBundle(rnd)
		var values []byte
		for _, p := range want {
			values = append(values, p.values...)
		}
		got, all, ok := decodeBundle(want.encode())
		if !ok || !bytes.Equal(all, values) {
			t.Fatalf("%v, %q, want %q", ok, all, values)
		}
		for i, w := range want {
			if g := got[i]; !bytes.Equal(g.info, w.info) || !bytes.Equal(g.values, w.values) {
				t.Fatalf("page %d: %q, want %q", i, g, w)
			}
		}
	}
	if got := new(bundle).encode(); got != nil {
		t.Errorf("without pages: %q", got)
	}
}

// The format is stored: it changes with a migration only.
func TestBundleFormat(t *testing.T) {
	t.Parallel()
	b := bundle{1: {[]byte("one"), []byte("1")}, 31: {[]byte("last"), []byte("31")}}
	sizes := make([]byte, 256)
	copy(sizes[8:], "\x00\x00\x00\x03\x00\x00\x00\x01")
	copy(sizes[248:], "\x00\x00\x00\x04\x00\x00\x00\x02")
	if got, want := b.encode(), "131onelast"+string(sizes); string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Sizes that were changed are noticed, at every bit.
func TestBundleDamage(t *testing.T) {
	t.Parallel()
	b := someBundle(rand.New(rand.NewPCG(2, 2)))
	whole := b.encode()
	for i := len(whole) - sizesLength; i < len(whole); i++ {
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << bit
			if _, _, ok := decodeBundle(bad); ok {
				t.Errorf("bit %d of byte %d", bit, i)
			}
		}
	}
	for i := range whole {
		if _, _, ok := decodeBundle(whole[:i]); ok {
			t.Errorf("%d bytes of %d", i, len(whole))
		}
	}
}

func FuzzDecodeBundle(f *testing.F) {
	b := someBundle(rand.New(rand.NewPCG(3, 3)))
	f.Add(b.encode())
	f.Add(bytes.Repeat([]byte{0xff}, 300))
	f.Fuzz(func(t *testing.T, in []byte) {
		b, _, ok := decodeBundle(in)
		if out := b.encode(); ok && out != nil && len(out) != len(in) {
			t.Errorf("%q became %q", in, out)
		}
	})
}
