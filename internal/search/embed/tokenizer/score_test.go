package tokenizer

import "testing"

func TestScore(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]float64{
		"0": 0, "-1": -1, "-2.5": -2.5, "-1.5e-3": -0.0015, "12345678901234567890123.5": 12345678901234567890123.5,
		"-10.435280799865723": -0x1.4dedd20000001p+3, // the nearest is one unit less
		"-12.528153419494629": -0x1.90e6a1fffffffp+3, // the nearest is one unit more
	} {
		if got, err := score(number); err != nil || got != want {
			t.Errorf("%s: %v and %v, want %v", number, got, err, want)
		}
	}
	if _, err := score("-1e999"); err == nil {
		t.Error("took a number beyond all floats")
	}
}
