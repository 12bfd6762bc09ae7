package store

import "testing"

func TestMemoIsBounded(t *testing.T) {
	t.Parallel()
	var m Memo[int, string]
	if _, known := m.Get(1); known {
		t.Error("an empty memo knows a value")
	}
	for i := range 25 {
		m.Put(i, "v", 10)
		if v, known := m.Get(i); !known || v != "v" || len(m.by) > 10 {
			t.Fatalf("after %d: %q, %v, %d values", i, v, known, len(m.by))
		}
	}
	if len(m.by) != 5 {
		t.Errorf("%d values are left of 25, want 5", len(m.by))
	}
}
