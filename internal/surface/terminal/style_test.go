package terminal

import "testing"

func TestMarked(t *testing.T) {
	t.Parallel()
	plain, bold := Style{}, Style{On: true}
	for _, tc := range []struct {
		text  string
		marks [][2]int
		want  string
	}{
		{"the red fox", [][2]int{{4, 7}}, "the «red» fox"},
		{"red fox", [][2]int{{0, 3}, {4, 7}}, "«red» «fox»"},
		{"two\n  lines", nil, "two lines"},
		{"\x1b[1mred", [][2]int{{4, 7}}, "␛[1m«red»"},
		{"short", [][2]int{{2, 99}, {3, 2}, {-1, 2}}, "short"},
		{"over lap", [][2]int{{0, 4}, {2, 6}}, "«over» lap"},
	} {
		if got := plain.Marked(tc.text, tc.marks); string(got) != tc.want {
			t.Errorf("Marked(%q, %v) = %q, want %q", tc.text, tc.marks, got, tc.want)
		}
	}
	if got, want := string(bold.Marked("a b", [][2]int{{0, 1}})), "\x1b[1ma\x1b[m b"; got != want {
		t.Errorf("marked in bold = %q, want %q", got, want)
	}
}
