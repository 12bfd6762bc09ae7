package transcript

import (
	"os"
	"strings"
	"testing"
)

// TestDistilIsPrecise holds the rules to turns with labels: those that they were made after, and others.
func TestDistilIsPrecise(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"distil.txt", "distil-unseen.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			turns, labelled, found, right, met := 0, 0, 0, 0, 0
			for _, part := range strings.Split(string(text), "\n== ")[1:] {
				head, body, _ := strings.Cut(part, "\n")
				role, label, _ := strings.Cut(head, " ")
				turns++
				hit := false
				for _, f := range (Turn{Role: Role(role), Text: body}).Distil() {
					found++
					if label == string(f.Kind) {
						right++
						hit = true
					} else {
						t.Logf("%s (%s) instead of %s: %s", f.Kind, f.Rule, label, f.Quote)
					}
				}
				if label == "none" {
					continue
				}
				if labelled++; hit {
					met++
				} else {
					t.Logf("missed a %s: %s", label, strings.TrimSpace(body))
				}
			}
			precision, recall := float64(right)/float64(found), float64(met)/float64(labelled)
			t.Logf("%d turns, %d with a label, %d found: precision %.2f, recall %.2f", turns, labelled, found, precision, recall)
			if turns < 60 || labelled < 25 || precision < .8 || recall < .6 {
				t.Errorf("precision %.2f, recall %.2f of %d turns, %d with a label", precision, recall, turns, labelled)
			}
		})
	}
}

// TestDistilReadsWhatWasSaid: no code, no quotes, no tools.
func TestDistilReadsWhatWasSaid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"```\nAlways run the linter first.\n```\n",
		"> Always run the linter first.\n",
		"- Bash make\n\n      Always run the linter first.\n",
		"    Always run the linter first.\n",
		"Should we always run the linter first?\n",
	} {
		if f := (Turn{Role: User, Text: text}).Distil(); len(f) > 0 {
			t.Errorf("%q: %+v", text, f)
		}
	}
	f := Turn{Role: User, Text: "Hello.\n\nAlways run the\nlinter first. Thanks!\n"}.Distil()
	if len(f) != 1 || f[0] != (Finding{Preference, "always or never", "Always run the linter first."}) {
		t.Errorf("%+v", f)
	}
	if f := (Turn{Role: Assistant, Text: "Always run the linter first."}).Distil(); len(f) > 0 {
		t.Errorf("an agent has preferences: %+v", f)
	}
}
