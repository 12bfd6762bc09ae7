package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantize(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		in    []float64
		want  []int8
		scale float32
	}{
		{nil, []int8{}, 0},
		{[]float64{0, 0}, []int8{0, 0}, 0},
		{[]float64{127, -64, 1}, []int8{127, -64, 1}, 1},
		{[]float64{-254, 2, 3}, []int8{-127, 1, 2}, 2}, // halves to even
		{[]float64{1, nan}, []int8{0, 0}, 0},
		{[]float64{nan, 1}, []int8{0, 0}, 0},
		{[]float64{1, -inf}, []int8{0, 0}, 0},
		{[]float64{1e-50}, []int8{0}, 0},
		{[]float64{1e50}, []int8{0}, 0},
		{[]float64{math.MaxFloat32, -math.MaxFloat32}, []int8{127, -127}, math.MaxFloat32 / 127},
	} {
		got, scale := quantize(tt.in)
		if !slices.Equal(got, tt.want) || scale != tt.scale {
			t.Errorf("%v: %v, %v", tt.in, got, scale)
		}
	}
}

// Each value of the rotated vector is off by half a step at most.
func TestQuantizeError(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		v := vec(rnd, 100)
		for i := range v {
			v[i] *= float32(math.Exp(80 * (rnd.Float64() - 0.5)))
		}
		q, scale := Quantize(v)
		for i, want := range rotate(v) {
			if d := math.Abs(float64(q[i])*float64(scale) - want); d > 0.5001*float64(scale) {
				t.Fatalf("%v became %d times %v", want, q[i], scale)
			}
		}
	}
}

// Dot products stay, and one large value is spread over its block.
func TestRotate(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	for _, dims := range []int{0, 1, 2, 3, 12, 384, 768} {
		a, b := vec(rnd, dims), vec(rnd, dims)
		want, got := 0.0, 0.0
		x, y := rotate(a), rotate(b)
		for i := range a {
			want += float64(a[i]) * float64(b[i])
			got += x[i] * y[i]
		}
		if math.Abs(want-got) > 1e-9 {
			t.Errorf("%d dimensions: %v, want %v", dims, got, want)
		}
	}
	v := make([]float32, 384)
	v[200] = 1
	for i, x := range rotate(v) {
		if in := i >= 128 && i < 256; in != (math.Abs(math.Abs(x)-math.Sqrt(1.0/128)) < 1e-12) || !in && x != 0 {
			t.Errorf("value %d is %v", i, x)
		}
	}
}

// The rotation is part of what is stored: it changes with the format.
func TestRotationIsFixed(t *testing.T) {
	t.Parallel()
	signs := ""
	for i := range 32 {
		signs += map[bool]string{false: "+", true: "-"}[flipped(i)]
	}
	if want := "-+-+-+-+-+-+-----+++--++--++++--"; signs != want {
		t.Errorf("%s, want %s", signs, want)
	}
}
