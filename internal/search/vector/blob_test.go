package vector

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// some returns vectors of a page; the same for the same seed.
func some(seed uint64, dims, n int) []Vector {
	rnd := rand.New(rand.NewPCG(seed, 1))
	out := make([]Vector, n)
	for i := range out {
		v := make([]float32, dims)
		for j := range v {
			v[j] = float32(rnd.NormFloat64())
		}
		out[i].Values, out[i].Scale = Quantize(v)
		out[i].Lines = [2]int{rnd.IntN(100), rnd.IntN(1 << 32)}
		binary.LittleEndian.PutUint64(out[i].Hash[8:], rnd.Uint64())
	}
	return out
}

func pack(t testing.TB, dims int, vectors []Vector) []byte {
	t.Helper()
	blob, err := Pack(dims, vectors)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

func TestBlob(t *testing.T) {
	for _, dims := range []int{1, 7, 8, 9, 384} {
		for _, n := range []int{0, 1, 3} {
			want := some(1, dims, n)
			gotDims, got, err := Unpack(pack(t, dims, want))
			if err != nil || gotDims != dims {
				t.Fatalf("%d vectors of %d: %d, %v", n, dims, gotDims, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// The format is stored: it changes with the version in magic only.
func TestBlobFormat(t *testing.T) {
	blob := pack(t, 3, []Vector{{Hash: [16]byte{1, 15: 2}, Lines: [2]int{3, 260}, Values: []int8{1, -2, 127}, Scale: 0.5}})
	want := []byte("cvp\x01\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02" +
		"\x03\x00\x00\x00\x04\x01\x00\x00\x00\x00\x00\x3f\x01\xfe\x7f")
	want = binary.LittleEndian.AppendUint32(want, crc32.Checksum(want, crc32.MakeTable(crc32.Castagnoli)))
	if !bytes.Equal(blob, want) {
		t.Errorf("%q", blob)
	}
}

func TestPackRefuses(t *testing.T) {
	ok := Vector{Values: []int8{1, 2}, Scale: 1}
	for name, change := range map[string]func(v *Vector) int{
		"no dimensions":       func(*Vector) int { return 0 },
		"too many dimensions": func(*Vector) int { return MaxDims + 1 },
		"other dimensions":    func(*Vector) int { return 3 },
		"out of range":        func(v *Vector) int { v.Values = []int8{0, -128}; return 2 },
		"negative scale":      func(v *Vector) int { v.Scale = -1; return 2 },
		"no number":           func(v *Vector) int { v.Scale = float32(math.NaN()); return 2 },
		"infinite":            func(v *Vector) int { v.Scale = float32(math.Inf(1)); return 2 },
		"negative line":       func(v *Vector) int { v.Lines[1] = -1; return 2 },
		"great line":          func(v *Vector) int { v.Lines[0] = 1 << 32; return 2 },
	} {
		v := ok
		dims := change(&v)
		if _, err := Pack(dims, []Vector{v}); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every change of a byte is found, also one that an index would read.
func TestDamage(t *testing.T) {
	blob := pack(t, 5, some(2, 5, 3))
	x := New(5, plain)
	for i := range blob {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(blob)
			bad[i] ^= bit
			if _, _, err := Unpack(bad); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("byte %d: %v", i, err)
			}
			if err := x.Put(1, bad); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("byte %d: %v", i, err)
			}
		}
		if _, _, err := Unpack(blob[:i]); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%d bytes: %v", i, err)
		}
	}
	if pages, vectors := x.Len(); pages != 0 || vectors != 0 {
		t.Errorf("%d pages, %d vectors", pages, vectors)
	}
}

// resum puts a checksum that fits at the end of a blob.
func resum(blob []byte) []byte {
	if len(blob) < crcSize {
		return blob
	}
	end := len(blob) - crcSize
	return binary.LittleEndian.AppendUint32(blob[:end:end], crc32.Checksum(blob[:end], castagnoli))
}

// A value that Pack refuses is refused although the checksum fits, wherever it
// stands, and the index is as it was.
func TestOutOfRange(t *testing.T) {
	const dims, n = 11, 3
	good := pack(t, dims, some(3, dims, n))
	for i := range dims * n {
		bad := bytes.Clone(good)
		bad[len(bad)-crcSize-1-i] = 0x80
		bad = resum(bad)
		if _, _, err := Unpack(bad); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("value %d: %v", i, err)
		}
		x := New(dims, plain)
		if err := x.Put(1, good); err != nil {
			t.Fatal(err)
		}
		if err := x.Put(1, bad); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("value %d: %v", i, err)
		}
		if pages, vectors := x.Len(); pages != 1 || vectors != n || len(x.slabs[0].values) != dims*n {
			t.Errorf("%d pages, %d vectors", pages, vectors)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		f.Add(pack(f, 9, some(4, 9, n)))
	}
	f.Add([]byte(magic))
	f.Add(append([]byte(magic), bytes.Repeat([]byte{0xff}, 60)...))
	f.Fuzz(func(t *testing.T, blob []byte) {
		for _, b := range [][]byte{blob, resum(bytes.Clone(blob))} {
			dims, vectors, err := Unpack(b)
			if err != nil {
				if kb.CodeOf(err) != kb.Damaged {
					t.Fatal(err)
				}
				continue
			}
			if again := pack(t, dims, vectors); !bytes.Equal(again, b) {
				t.Fatalf("%q became %q", b, again)
			}
			x := New(dims, plain)
			if err := x.Put(1, b); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Search(make([]float32, dims), 3, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}
