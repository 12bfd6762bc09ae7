package lifecycle

import (
	"cmp"
	"slices"
)

// Join says that two of a list of pages belong together, and how much.
type Join struct {
	A, B   int // positions in the list
	Weight float64
}

// Related is the weight of a join that somebody wrote down: no nearness is more.
const Related = 1

// Clusters puts pages together that are joined, directly or by way of others: sets of
// least to most of n pages. The strongest joins are made first, and one that would make
// a set larger than most is not made, so that it is the weakest that are cut and no
// chain takes in everything. Joins alike are made in the order of their pages. Sets
// are in the order of their first pages, as are pages within them; pages of smaller sets
// are in none.
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
		a, b = min(a, b), max(a, b) // a set is named by its first page
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
