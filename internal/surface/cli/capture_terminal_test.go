package cli_test

import (
	"io"
	"strings"
	"testing"
)

// answers is what somebody types at a terminal, which gives a line at a time.
func answers(lines ...string) io.Reader {
	all := make([]io.Reader, len(lines))
	for i, line := range lines {
		all[i] = strings.NewReader(line + "\n")
	}
	return io.MultiReader(all...)
}

const (
	tuesdays  = "Deploys go through staging, then production on Tuesdays."
	tuesdays2 = "Deploys go through staging, then to production on Tuesdays or Wednesdays."
	similarTo = "Deploys go through staging then production on Tuesdays"
)

// A terminal asks what to do with a text that pages are similar to, and does what was
// answered with all that was said of the text; no answer stores nothing.
func TestCaptureAsksAboutSimilarPages(t *testing.T) {
	t.Parallel()
	const first, second = "k:deploys-go-through-staging-then-production-on-tuesdays", "k:deploys-go-through-staging-then-to-production-on-tuesdays"
	for _, tc := range []struct {
		name, answer string
		args         []string
		code, pages  int
		ref          string
		want, lacks  []string // of the text of ref
	}{
		{name: "no answer", answer: "", code: 4, pages: 3},
		{name: "no", answer: "no", code: 4, pages: 3},
		{name: "a page that was not named", answer: "e 7", code: 4, pages: 3},
		{name: "no number", answer: "e it", code: 4, pages: 3},
		{name: "keep", answer: "k", pages: 4},
		{name: "extend", answer: "E", pages: 3, ref: first, want: []string{tuesdays, ": " + similarTo}},
		{
			name: "extend, with all that a new page would have", answer: "extend", pages: 3, ref: first,
			args:  []string{"--title", "T", "--type", "decision", "--supersedes", "old", "--link", "k:" + strings.TrimPrefix(second, "k:"), "--tag", "deploys", "--set", "confidence=high", "--summary", "How we deploy."},
			want:  []string{tuesdays, ": " + similarTo, "\n- supersedes [[Old]]", "\n- relates_to [[", "deploys", "\nconfidence: high\n", "\nsummary: How we deploy.\n"},
			lacks: []string{"title: T\n", "type: decision"},
		},
		{
			name: "update", answer: "u", args: []string{"--supersedes", "old"}, pages: 3, ref: first,
			want: []string{similarTo, "\n- supersedes [[Old]]"}, lacks: []string{tuesdays},
		},
		{name: "update the second", answer: "u 2", pages: 3, ref: second, want: []string{similarTo}, lacks: []string{"Wednesdays."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := newUser(t)
			do := func(code int, args ...string) (out, errout string) {
				t.Helper()
				out, errout, got := u.run(t.Context(), args...)
				if got != code {
					t.Fatalf("%q: exit code %d, not %d: %s", args, got, code, errout)
				}
				return out, errout
			}
			do(0, "space", "add", "--database", "--name", "k", "--preset", "capture")
			do(0, "capture", tuesdays)
			do(0, "capture", "--keep", tuesdays2)
			do(0, "capture", "Old.")
			u.env.Stdin = answers(tc.answer)
			_, errout := do(tc.code, append([]string{"capture", similarTo}, tc.args...)...)
			if !strings.Contains(errout, "similar: 1. "+first+" (") || !strings.Contains(errout, "[e]xtend "+first+", [u]pdate it, [k]eep both? (e 2, u 2: the second)") {
				t.Errorf("asked: %s", errout)
			}
			u.env.Stdin = strings.NewReader("")
			if out, _ := do(0, "list", "--format", "brief"); strings.Count(out, "\n") != tc.pages {
				t.Errorf("%d pages wanted: %s", tc.pages, out)
			}
			text := ""
			if tc.ref != "" {
				text, _ = do(0, "get", tc.ref)
			}
			for _, w := range tc.want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			for _, w := range tc.lacks {
				if strings.Contains(text, w) {
					t.Errorf("%q in\n%s", w, text)
				}
			}
			status := "active"
			if strings.Contains(strings.Join(tc.args, " "), "--supersedes") {
				status = "stale"
			}
			if out, _ := do(0, "show", "old", "--json"); !strings.Contains(out, `"status": "`+status+`"`) {
				t.Errorf("old is not %s: %s", status, out)
			}
		})
	}
}

// A terminal is asked for the space as well, and not at all where a program reads the
// answer or nobody is to be disturbed.
func TestCaptureAsksForTheSpace(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for _, name := range []string{"k", "other"} {
		if _, errout, code := u.run(t.Context(), "space", "add", "--database", "--name", name, "--preset", "capture"); code != 0 {
			t.Fatal(errout)
		}
	}
	for _, tc := range []struct {
		name  string
		stdin io.Reader
		args  []string
		code  int
		errs  string
	}{
		{"no answer", answers(""), nil, 2, "Which space? k, other"},
		{"a space that is not there", answers("third"), nil, 3, `"third"`},
		{"an answer", answers("k"), nil, 0, "Which space? k, other"},
		{"both questions", answers("k", "k"), nil, 0, "[e]xtend k:" + "deploys"},
		{"several texts", answers("k", "k"), []string{"--each", "Deploys go through staging then production on a Tuesday"}, 0, "[k]eep all texts as pages of their own?"},
		{"JSON", answers("k"), []string{"--json"}, 2, "there are 2 spaces"},
		{"quiet", answers("k"), []string{"--quiet"}, 2, "there are 2 spaces"},
	} {
		text := tuesdays
		if tc.name != "an answer" {
			text = similarTo + " (" + tc.name + ")"
		}
		u.env.Stdin = tc.stdin
		_, errout, code := u.run(t.Context(), append([]string{"capture", text}, tc.args...)...)
		if code != tc.code || !strings.Contains(errout, tc.errs) {
			t.Errorf("%s: exit code %d: %s", tc.name, code, errout)
		}
		if asks := strings.Contains(errout, "Which space?"); asks != (tc.name != "JSON" && tc.name != "quiet") {
			t.Errorf("%s: asked %t", tc.name, asks)
		}
	}
}
