package main

import (
	"context"
	"slices"
)

// pairs are the samples of both sides, turn by turn.
type pairs [][2]sample

// stages is how often a case over the limit is measured in all, each time with
// twice as many pairs as before.
const stages = 3

// measure runs a case with both sides in turn.
func measure(ctx context.Context, k kase, sides [2]side, size sizes, limit float64) (out pairs, err error) {
	var work [2]func(int) (sample, error)
	turn := 0
	for i := range sides {
		if work[i], err = k.prepare(ctx, &sides[i], size); err != nil {
			return nil, err
		}
		if _, err := work[i](turn); err != nil { // fills the page cache
			return nil, err
		}
	}
	for stage := range stages {
		for range k.pairs(size) << stage {
			turn++
			var pair [2]sample
			for n := range pair {
				i := (n + turn) % 2 // each side is first in every other pair
				if pair[i], err = work[i](turn); err != nil {
					return nil, err
				}
			}
			out = append(out, pair)
		}
		if out.worst() <= limit {
			break
		}
	}
	return out, nil
}

// ratio is the median of a figure's ratios to the base.
func (p pairs) ratio(figure int) float64 {
	all := make([]float64, 0, len(p))
	for _, pair := range p {
		if pair[0][figure] > 0 {
			all = append(all, pair[1][figure]/pair[0][figure])
		}
	}
	return median(all)
}

// worst is the largest ratio.
func (p pairs) worst() (most float64) {
	for f := range figures {
		most = max(most, p.ratio(f))
	}
	return most
}

// median is that of one side's figure.
func (p pairs) median(side, figure int) float64 {
	all := make([]float64, 0, len(p))
	for _, pair := range p {
		all = append(all, pair[side][figure])
	}
	return median(all)
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
