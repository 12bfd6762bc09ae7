package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// A diff is that of diff -u, also among blank and repeated lines.
func TestUnified(t *testing.T) {
	t.Parallel()
	tick := strings.NewReplacer("[ ]", "[x]")
	list := "- [ ] one\n\n- [ ] two\n\n- [ ] three\n"
	for _, c := range []struct{ old, now, want string }{
		{list, tick.Replace(list), "@@ -1,5 +1,5 @@\n-- [ ] one\n+- [x] one\n \n-- [ ] two\n+- [x] two\n \n-- [ ] three\n+- [x] three\n"},
		{"a\n", "a\n", ""},
		{"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
		{"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"a\n---\nb\n---\nc\n", "a\n---\nb\n---\nx\n---\nc\n", "@@ -2,4 +2,6 @@\n ---\n b\n ---\n+x\n+---\n c\n"},
	} {
		_, got, _ := strings.Cut(unified("a", c.old, "b", c.now, contextLines, 0), "+++ b\n")
		if got != c.want {
			t.Errorf("%q, %q:\n%s\nwant\n%s", c.old, c.now, got, c.want)
		}
	}
}

func TestUnifiedIsMinimal(t *testing.T) {
	t.Parallel()
	diff, err := exec.LookPath("diff")
	patch, noPatch := exec.LookPath("patch")
	if err != nil || noPatch != nil {
		t.Skip("diff and patch are not installed")
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	words := []string{"", "", "---", "a", "b", "- [ ] x"}
	for round := range 70 {
		lines, edits := make([]string, 40), 1+r.IntN(6)
		if round >= 60 {
			lines, edits = make([]string, 900), 300
		}
		for i := range lines {
			lines[i] = words[r.IntN(len(words))]
			if r.IntN(3) == 0 {
				lines[i] = fmt.Sprint("line ", r.IntN(30))
			}
		}
		old := strings.Join(lines, "\n") + "\n"
		for i := range edits {
			switch at := r.IntN(len(lines)); r.IntN(3) {
			case 0:
				lines[at] = fmt.Sprint("new ", i)
			case 1:
				lines = append(lines[:at], lines[at+1:]...)
			default:
				lines = append(lines[:at], append([]string{words[r.IntN(len(words))]}, lines[at:]...)...)
			}
		}
		now := strings.Join(lines, "\n") + "\n"
		got := unified("a", old, "b", now, contextLines, 0)
		a, b := write("a", old), write("b", now)
		want, _ := exec.CommandContext(t.Context(), diff, "-u", "--minimal", a, b).Output() // it ends with 1 where they differ
		if changes(got) > changes(string(want)) {
			t.Errorf("%s\nis longer than\n%s", got, want)
		}
		if got == "" {
			continue
		}
		out := filepath.Join(dir, "out")
		said, err := exec.CommandContext(t.Context(), patch, "-s", "-o", out, a, write("p", got)).CombinedOutput()
		if text, _ := os.ReadFile(out); err != nil || len(said) > 0 || string(text) != now {
			t.Errorf("patch says %s %v of\n%s", said, err, got)
		}
	}
}

func changes(diff string) (n int) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			n++
		}
	}
	return n
}

// A long list in which every item is ticked keeps its blank lines.
func TestUnifiedOfALongList(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 400 {
		fmt.Fprintf(&list, "- [ ] item %d\n\n", i)
	}
	got := unified("a", list.String(), "b", strings.ReplaceAll(list.String(), "[ ]", "[x]"), contextLines, 0)
	if n := changes(got); n != 2+800 { // with the two lines of the head
		t.Errorf("%d lines, want 802", n)
	}
}

// Large and unlike texts have a diff, too, which makes the second of the first.
func TestUnifiedOfManyChanges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var old, now strings.Builder
		for range r.IntN(900) {
			line := fmt.Sprintln(r.IntN(60))
			if r.IntN(3) > 0 {
				old.WriteString(line)
			}
			if r.IntN(3) > 0 {
				now.WriteString(line)
			}
		}
		text := unified("a", old.String(), "b", now.String(), contextLines, 0)
		if got := applied(t, old.String(), text); got != now.String() {
			t.Fatalf("the diff makes %d bytes, want %d", len(got), now.Len())
		}
	}
}

// applied is a text with a diff applied to it.
func applied(t *testing.T, old, diff string) string {
	t.Helper()
	lines, at := strings.SplitAfter(old, "\n"), 0
	var out strings.Builder
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			var from int
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				t.Fatal(err)
			}
			for at < from-1 {
				out.WriteString(lines[at])
				at++
			}
		case line[0] == '-':
			at++
		default:
			if line[0] == ' ' {
				at++
			}
			out.WriteString(line[1:])
		}
	}
	return out.String() + strings.Join(lines[at:], "")
}

// Of large texts only the part with changes is compared, and the diff is the same.
func TestDiffOfLargeTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 0; b.Len() < 2*largeDiff; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	old := b.String()
	for what, now := range map[string]string{
		"nothing":            old,
		"a line at the end":  old + "more\n",
		"a line at the top":  "more\n" + old,
		"the first line":     "other" + old,
		"the end of a line":  strings.Replace(old, "line 77777\n", "line 77777 more\n", 1),
		"two lines apart":    strings.Replace(strings.Replace(old, "line 5\n", "", 1), "line 99999\n", "x\ny\n", 1),
		"a repeated line":    strings.Replace(old, "line 500\n", "line 500\nline 500\n", 1),
		"no end of the last": strings.TrimSuffix(old, "\n"),
		"all of it":          "",
	} {
		got, want := compared("a", []byte(old), "b", []byte(now), contextLines), unified("a", old, "b", now, contextLines, 0)
		if got != want {
			t.Errorf("%s: %.500s, want %.500s", what, got, want)
		}
	}
	_, part, skipped := changedPart([]byte(old), []byte(strings.Replace(old, "line 77777\n", "", 1)))
	if len(part) > 100 || skipped != 77777-contextLines {
		t.Errorf("%d lines before %q", skipped, part)
	}
}

// Changes of lines in large texts are looked for between the lines that are equal at both ends.
func TestEqualLinesAreWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b        string
		start, rest int
	}{
		{"", "", 0, 0},
		{"a\n", "a\n", 2, 0},
		{"a", "a\n", 0, 0},
		{"a\n", "a\nb", 2, 0},
		{"a\nbx\nc\n", "a\nby\nc\n", 2, 2},
		{"a\nb\n", "a\nb\nb\n", 4, 0},
		{"xb\nc\n", "b\nc\n", 0, 2},
		{"c\n", "b\nc\n", 0, 2},
		{"a\nxc", "a\nyc", 2, 0},
		{"ab", "b", 0, 0},
	} {
		for range 2 {
			if start, rest := equalLines(c.a, c.b); start != c.start || rest != c.rest {
				t.Errorf("%q, %q: %d and %d, want %d and %d", c.a, c.b, start, rest, c.start, c.rest)
			}
			c.a, c.b = c.b, c.a
		}
	}
	same := strings.Repeat("a line\n", largeDiff/7)
	old, now := same+"one\ntwo\nthree\n"+same, same+"one\n2\nthree\nfour\n"+same
	edits := lineEdits(old, now)
	if got, err := udiff.Apply(old, edits); err != nil || got != now || len(edits) != 2 {
		t.Errorf("%d changes, %v", len(edits), err)
	}
}

// The parts of a difference of large texts are those of the unified one, and each can be taken out.
func TestHunksOfLargeTexts(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("the same line\n", largeDiff/10)
	old, now := same+"one\ntwo\nthree\n"+same[:200]+"last\n"+same, same+"one\n2\nthree\n"+same[:200]+"last\nnew\nthe same line\n"+same
	_, want, _ := strings.Cut(UnifiedDiff("a", []byte(old), "b", []byte(now)), "+++ b\n")
	var got strings.Builder
	hunks := Hunks([]byte(old), []byte(now), func(text []byte) []byte { return text })
	for _, h := range hunks {
		got.WriteString(h.Diff)
	}
	if len(hunks) != 2 || got.String() != want {
		t.Errorf("%d parts: %s, want %s", len(hunks), got.String(), want)
	}
	for i, h := range hunks {
		text, found, err := withoutHunk([]byte(old), []byte(now), h.Line)
		if err != nil || !found {
			t.Fatalf("part %d at line %d: %v, %v", i, h.Line, found, err)
		}
		if left := Hunks([]byte(old), text, func(text []byte) []byte { return text }); len(left) != 1 {
			t.Errorf("without part %d there are %d", i, len(left))
		}
	}
	hide := func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "2", "x")) }
	if shown := Hunks([]byte(old), []byte(now), hide)[0].Diff; !strings.Contains(shown, "-two\n+x [masked]\n") {
		t.Errorf("a masked line is shown as %s", shown)
	}
}
