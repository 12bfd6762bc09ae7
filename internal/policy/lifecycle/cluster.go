package lifecycle

import (
	"cmp"
	"slices"
)

// Join says that two pages of a list belong together, and how strongly.
type Join struct {
	A, B   int // positions in the list
	Weight float64
}

// Related is the weight of an explicit relation: similarity never exceeds it.
const Related = 1

// Clusters groups pages that are joined directly or through others into sets of
// least to most of n pages. The strongest joins come first, and a join that
// would make a set larger than most is skipped, so that the weakest joins are
// cut and no chain absorbs everything. Equal joins are processed in page order.
// Sets are sorted by their first page, and pages within them likewise; pages of
// smaller sets are left out.
func Clusters(n int, joins []Join, least, most int) [][]int {
	joins = slices.Clone(joins)
	for i, j := range joins {
		joins[i].A, joins[i].B = min(j.A, j.B), max(j.A, j.B)
	}
	slices.SortFunc(joins, func(x, y Join) int {
		return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	set, size := make([]int, n), make([]int, n)
	for i := range set {
		set[i], size[i] = i, 1
	}
	find := func(i int) int {
		for set[i] != i {
			set[i] = set[set[i]]
			i = set[i]
		}
		return i
	}
	for _, j := range joins {
		a, b := find(j.A), find(j.B)
		if a == b || size[a]+size[b] > most {
			continue
		}
		a, b = min(a, b), max(a, b) // the smaller index represents a set
		set[b] = a
		size[a] += size[b]
	}
	var out [][]int
	at := map[int]int{}
	for i := range n {
		of := find(i)
		if size[of] < least {
			continue
		}
		k, begun := at[of]
		if !begun {
			k = len(out)
			at[of], out = k, append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
