package vector

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	one := Vector{Values: []int8{0, 76, 102, 0}, Scale: 1 / 127.2}
	type pieces struct{ info, values []byte }
	pack := func(dims int, vectors ...Vector) pieces {
		t.Helper()
		info, values := pack(t, dims, vectors)
		return pieces{info, values}
	}
	long, zero := one, one
	long.Scale *= 1.1
	zero.Values = make([]int8, 4)
	cut := pack(4, one, one)
	cut.values = cut.values[1:]
	for name, c := range map[string]struct {
		pieces
		dims, count int
		want        kb.Code
	}{
		"sound":             {pack(4, one, one), 4, 2, ""},
		"a page without":    {pack(4), 4, 0, ""},
		"another number":    {pack(4, one, one), 4, 1, kb.Damaged},
		"other dimensions":  {pack(4, one), 5, 1, kb.Damaged},
		"too long a vector": {pack(4, one, long), 4, 2, kb.Damaged},
		"nothing":           {pack(4, zero), 4, 1, kb.Damaged},
		"cut off":           {cut, 4, 2, kb.Damaged},
		"empty":             {pieces{}, 4, 0, kb.Damaged},
	} {
		if err := Check(c.info, c.values, c.dims, c.count); kb.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
