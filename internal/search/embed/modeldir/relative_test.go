package modeldir

import "testing"

// The reference's buckets change at these distances.
func TestBuckets(t *testing.T) {
	t.Parallel()
	changes := []struct{ from, bucket int }{
		{-2000, 15}, {-90, 14}, {-63, 13}, {-45, 12}, {-31, 11}, {-22, 10}, {-15, 9}, {-11, 8}, {-7, 7}, {-6, 6}, {-5, 5},
		{-4, 4}, {-3, 3}, {-2, 2}, {-1, 1}, {0, 0}, {1, 17}, {2, 18}, {3, 19}, {4, 20}, {5, 21}, {6, 22}, {7, 23}, {8, 24},
		{12, 25}, {16, 26}, {23, 27}, {32, 28}, {46, 29}, {64, 30}, {91, 31}, {2000, 31},
	}
	for i, c := range changes[:len(changes)-1] {
		for d := c.from; d < changes[i+1].from; d++ {
			if got := bucket(d); got != c.bucket {
				t.Errorf("distance %d is in bucket %d, want %d", d, got, c.bucket)
			}
		}
	}
}

func TestDistances(t *testing.T) {
	t.Parallel()
	buckets := make([]float32, distanceBuckets*2)
	for i := range buckets {
		buckets[i] = float32(i)
	}
	got := distances(buckets, 2, 3)
	want := []float32{4, 2, 0, 34, 36, 5, 3, 1, 35, 37} // from two before to two behind, for each head
	for i, w := range want {
		if len(got) != len(want) || got[i] != w {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
