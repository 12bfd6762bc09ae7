package vector

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
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

func pack(t testing.TB, dims int, vectors []Vector) (info, values []byte) {
	t.Helper()
	info, values, err := Pack(dims, vectors)
	if err != nil {
		t.Fatal(err)
	}
	return info, values
}

func TestPack(t *testing.T) {
	t.Parallel()
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
func TestFormat(t *testing.T) {
	t.Parallel()
	info, values := pack(t, 3, []Vector{{Hash: [16]byte{1, 15: 2}, Lines: [2]int{3, 260}, Values: []int8{1, -2, 127}, Scale: 0.5}})
	want := []byte("cvp\x01\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02" +
		"\x03\x00\x00\x00\x04\x01\x00\x00\x00\x00\x00\x3f")
	want = binary.LittleEndian.AppendUint32(want, crc32.Checksum(append(bytes.Clone(want), 1, 0xfe, 0x7f), crc32.MakeTable(crc32.Castagnoli)))
	if !bytes.Equal(info, want) || string(values) != "\x01\xfe\x7f" {
		t.Errorf("%q, %q", info, values)
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
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
		if _, _, err := Pack(dims, []Vector{v}); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refuses checks that a page is damaged, also to an index, which has the pages
// beside it.
func refuses(t *testing.T, dims int, info, values []byte) {
	t.Helper()
	if _, _, err := Unpack(info, values); kb.CodeOf(err) != kb.Damaged {
		t.Error(err)
	}
	x := New(dims, plain)
	good, own := pack(t, dims, some(7, dims, 2))
	x.Put(1, []Page{{3, good, len(own)}, {4, info, len(values)}, {5, good, len(own)}}, slices.Concat(own, values, own))
	hits, err := x.Search(make([]float32, dims), 100, nil)
	if err != nil || len(hits) != 4 || hits[0].Page != 3 || hits[3].Page != 5 || x.Len() != 4 || x.Damaged() != 1 {
		t.Errorf("%v, %v; %d vectors, %d damaged", hits, err, x.Len(), x.Damaged())
	}
	if !bytes.Equal(unsigned(x.bundles[0].values), slices.Concat(own, own)) {
		t.Error("other values")
	}
}

func unsigned(values []int8) []byte {
	out := make([]byte, len(values))
	for i, v := range values {
		out[i] = byte(v)
	}
	return out
}

// Every change of a byte is found, also one that an index would read.
func TestDamage(t *testing.T) {
	t.Parallel()
	info, values := pack(t, 5, some(2, 5, 3))
	for i := range len(info) + len(values) {
		for _, bit := range []byte{1, 0x80} {
			badInfo, badValues := bytes.Clone(info), bytes.Clone(values)
			if i < len(info) {
				badInfo[i] ^= bit
			} else {
				badValues[i-len(info)] ^= bit
			}
			refuses(t, 5, badInfo, badValues)
		}
	}
	for i := range info {
		refuses(t, 5, info[:i], values)
	}
	for i := range values {
		refuses(t, 5, info, values[:i])
	}
	refuses(t, 5, info, append(bytes.Clone(values), 0))
}

// resum puts a checksum that fits at the end of info.
func resum(info, values []byte) []byte {
	if len(info) < crcSize {
		return info
	}
	end := len(info) - crcSize
	return binary.LittleEndian.AppendUint32(info[:end:end], checksum(info[:end], values))
}

// A value that Pack refuses Unpack refuses too although the checksum fits,
// wherever it stands.
func TestOutOfRange(t *testing.T) {
	t.Parallel()
	const dims, n = 11, 3
	info, values := pack(t, dims, some(3, dims, n))
	for i := range values {
		bad := bytes.Clone(values)
		bad[i] = 0x80
		if _, _, err := Unpack(resum(bytes.Clone(info), bad), bad); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("value %d: %v", i, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		info, values := pack(f, 9, some(4, 9, n))
		f.Add(info, values)
	}
	f.Add([]byte(magic), []byte{})
	f.Add(append([]byte(magic), bytes.Repeat([]byte{0xff}, 60)...), []byte{1})
	f.Fuzz(func(t *testing.T, info, values []byte) {
		for _, info := range [][]byte{info, resum(bytes.Clone(info), values)} {
			dims, vectors, err := Unpack(info, values)
			if err != nil {
				if kb.CodeOf(err) != kb.Damaged {
					t.Fatal(err)
				}
				continue
			}
			if again, own := pack(t, dims, vectors); !bytes.Equal(again, info) || !bytes.Equal(own, values) {
				t.Fatalf("%q, %q became %q, %q", info, values, again, own)
			}
			x := New(dims, plain)
			x.Put(1, []Page{{1, info, len(values)}}, values)
			if _, err := x.Search(make([]float32, dims), 3, nil); err != nil || x.Len() != len(vectors) {
				t.Fatal(err)
			}
		}
	})
}
