package tokenizer

import "testing"

func TestSpelled(t *testing.T) {
	t.Parallel()
	s := newSpelled([]added{
		{id: 1, text: "<a>"}, {id: 2, text: "<a><b>"}, {id: 3, text: "語", left: true, right: true}, {id: 4, text: "[x]"},
	})
	for _, c := range []struct {
		text, before string
		id           int32
		after        string
	}{
		{"", "", 0, ""},
		{"none < [ ", "none < [ ", 0, ""},
		{"x<a>y", "x", 1, "y"},
		{"x<a><b><a>", "x", 2, "<a>"}, // the longest of those that start first
		{"[x]<a>", "", 4, "<a>"},
		{" \u3000語\n y", "", 3, "y"},
		{"<a", "<a", 0, ""},
	} {
		before, id, after, found := s.cut(c.text)
		if before != c.before || id != c.id || after != c.after || found != (c.id > 0) {
			t.Errorf("%q: %q, %d, %q, %v", c.text, before, id, after, found)
		}
	}
	if _, _, _, found := newSpelled(nil).cut("x"); found {
		t.Error("found a token where there are none")
	}
}
