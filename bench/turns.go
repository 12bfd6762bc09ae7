package main

import (
	"context"
	"slices"
	"time"
)

// kase is one of several things that take turns.
type kase struct {
	name string
	aim  string // what the project aims at, "" when it does not
	run  func(ctx context.Context) (sample, error)
}

// result is what a case took. Ratios are to the first case of its group, each
// within one round, so that both had the machine in the same state.
type result struct {
	kase
	wall, cpu           time.Duration // medians
	wallRatio, cpuRatio float64       // medians; 0 when the first case was too short to measure
}

// takeTurns runs every case once a round, in order, and the first of them once
// before, uncounted, which warms the page cache.
func takeTurns(ctx context.Context, rounds int, cases []kase) ([]result, error) {
	if _, err := cases[0].run(ctx); err != nil {
		return nil, err
	}
	samples := make([][]sample, len(cases))
	for range rounds {
		for i, k := range cases {
			s, err := k.run(ctx)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	out := make([]result, len(cases))
	for i, k := range cases {
		out[i] = result{
			kase: k,
			wall: percentile(walls(samples[i]), 50),
			cpu:  percentile(cpus(samples[i]), 50),

			wallRatio: ratio(walls(samples[i]), walls(samples[0])),
			cpuRatio:  ratio(cpus(samples[i]), cpus(samples[0])),
		}
	}
	return out, nil
}

func walls(in []sample) []time.Duration {
	return collect(in, func(s sample) time.Duration { return s.wall })
}
func cpus(in []sample) []time.Duration {
	return collect(in, func(s sample) time.Duration { return s.cpu })
}

func collect(in []sample, f func(sample) time.Duration) []time.Duration {
	out := make([]time.Duration, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}

// ratio is the median of a[i]/b[i]; 0 when no b[i] is above zero.
func ratio(a, b []time.Duration) float64 {
	var all []float64
	for i := range a {
		if b[i] > 0 {
			all = append(all, float64(a[i])/float64(b[i]))
		}
	}
	return percentile(all, 50)
}

// percentile returns the smallest value that p percent of the values do not
// exceed; the zero value of none.
func percentile[T time.Duration | float64](values []T, p int) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
