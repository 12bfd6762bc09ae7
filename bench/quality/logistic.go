package main

import (
	"cmp"
	"math"
	"slices"
)

// example is a question's evidence, with what is known of it.
type example struct {
	x      []float64
	yes    bool
	weight float64
}

// regression is a logistic regression: a factor for each piece of evidence, and
// what is added to their sum.
type regression []float64

// odds is the logarithm of the odds that the evidence gives.
func (r regression) odds(x []float64) float64 {
	sum := r[len(x)]
	for i, v := range x {
		sum += r[i] * v
	}
	return sum
}

// chance is what the odds are as a number from 0 to 1.
func (r regression) chance(x []float64) float64 { return 1 / (1 + math.Exp(-r.odds(x))) }

// fit finds the regression by Newton's method. A trace of a penalty keeps what
// separates the examples wholly from growing without end.
func fit(examples []example) regression {
	const steps, penalty = 30, 1e-4
	n := len(examples[0].x) + 1
	r := make(regression, n)
	for range steps {
		slope, curve := make([]float64, n), make([][]float64, n)
		for i := range curve {
			curve[i] = make([]float64, n)
			curve[i][i] = penalty
			slope[i] = -penalty * r[i]
		}
		for _, e := range examples {
			p, want := r.chance(e.x), 0.0
			if e.yes {
				want = 1
			}
			at := func(i int) float64 {
				if i == n-1 {
					return 1
				}
				return e.x[i]
			}
			for i := range n {
				slope[i] += e.weight * (want - p) * at(i)
				for j := range n {
					curve[i][j] += e.weight * p * (1 - p) * at(i) * at(j)
				}
			}
		}
		for i, d := range solve(curve, slope) {
			r[i] += d
		}
	}
	return r
}

// solve returns x of the equations a·x = b, by elimination. a is positive definite,
// and is used up.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := i + 1; j < n; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		sum := b[i]
		for k := i + 1; k < n; k++ {
			sum -= a[i][k] * x[k]
		}
		x[i] = sum / a[i][i]
	}
	return x
}

// auc is the chance that a number of yes is greater than one of no; equal ones count
// half.
func auc(yes, no []float64) float64 {
	type number struct {
		value float64
		yes   bool
	}
	var all []number
	for _, v := range yes {
		all = append(all, number{v, true})
	}
	for _, v := range no {
		all = append(all, number{v, false})
	}
	slices.SortFunc(all, func(a, b number) int { return cmp.Compare(a.value, b.value) })
	below, won := 0.0, 0.0
	for i := 0; i < len(all); {
		j, equalYes := i, 0.0
		for ; j < len(all) && all[j].value == all[i].value; j++ {
			if all[j].yes {
				equalYes++
			}
		}
		equalNo := float64(j-i) - equalYes
		won += equalYes * (below + equalNo/2)
		below += equalNo
		i = j
	}
	return won / float64(len(yes)*len(no))
}
