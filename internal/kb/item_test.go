package kb

import "testing"

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"1", 1, true}, {" -2.5 ", -2.5, true}, {"+3", 3, true}, {"1e3", 1000, true}, {"1E-3", .001, true}, {"-1e+2", -100, true}, {".5", .5, true},
		{"", 0, false}, {"2026-11-28", 0, false}, {"1-2", 0, false}, {"--1", 0, false}, {"e", 0, false}, {"NaN", 0, false}, {"Inf", 0, false}, {"0x10", 0, false}, {"1 2", 0, false},
	} {
		if got, ok := Number(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("Number(%q) is %v, %t, want %v, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}
