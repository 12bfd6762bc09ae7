package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// statement is what a page says, with commands that try it and what they print.
type statement struct {
	quotes, commands []string
	prints           string
}

func statements(text string) (out []statement) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var s statement
		for line := range strings.Lines(block + "\n") {
			if quote, is := strings.CutPrefix(line, "> "); is {
				s.quotes = append(s.quotes, strings.TrimSuffix(quote, "\n"))
			} else if command, is := strings.CutPrefix(line, "$ "); is {
				s.commands = append(s.commands, command)
			} else {
				s.prints += line
			}
		}
		out = append(out, s)
	}
	return out
}

// What the pages of docs say about search, formats, spaces, history, gaps and care is true: each
// sentence in testdata/statements is in its page, and the commands below it, typed in a space of
// notes, print what is there. -update writes what they print.
func TestDocsStatements(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are typed into a shell")
	}
	slowtest.NoRace(t, "two hundred processes")
	files, err := filepath.Glob("testdata/statements/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	update := flag.Lookup("update").Value.String() == "true" // that of the scripts
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all := statements(string(text))
		n += len(all)
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile("../../../docs/" + name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			says := strings.Join(strings.Fields(string(page)), " ")
			prints := printed(t, all)
			var now strings.Builder
			for i, s := range all {
				for _, quote := range s.quotes {
					if !strings.Contains(says, quote) {
						t.Errorf("docs/%s.md does not say any more: %s", name, quote)
					}
				}
				if prints[i] != s.prints && !update {
					t.Errorf("docs/%s.md: %s\n$ %sprints\n%s\nand not\n%s", name, strings.Join(s.quotes, " "), strings.Join(s.commands, "$ "), prints[i], s.prints)
				}
				now.WriteString("> " + strings.Join(s.quotes, "\n> ") + "\n$ " + strings.Join(s.commands, "$ ") + prints[i] + "\n")
			}
			if update {
				if err := os.WriteFile(file, []byte(strings.TrimSuffix(now.String(), "\n")), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if n < 65 {
		t.Errorf("%d statements are tried", n)
	}
}

// printed returns what the commands of each statement print, errors included, one statement
// after the other in a shell.
func printed(t *testing.T, all []statement) []string {
	t.Helper()
	const end = "-- end of a statement --\n"
	script := `mkdir notes && cd notes && cairn space add . --name notes >/dev/null 2>&1
page() { mkdir -p "$(dirname "$1")"; f=$1; shift; [ "$1" = -- ] && shift; printf '%b' "$1" >"$f"; }
found() {
	lines=$(cairn search --format lines "$@" 2>/dev/null); code=$?
	case $code in 0|3) ;; *) echo "exit code $code"; return ;; esac
	set -- $(printf '%s\n' "$lines" | cut -f1 | sed s/^notes:// | LC_ALL=C sort); echo ${*:-nothing}
}
`
	for _, s := range all {
		script += strings.Join(s.commands, "") + "printf '%s' '" + end + "'\n"
	}
	out := strings.SplitAfter(typed(t, script), end)
	if len(out) != len(all)+1 {
		t.Fatalf("%d of %d statements were tried:\n%s", len(out)-1, len(all), strings.Join(out, ""))
	}
	for i := range all {
		out[i] = unforeseen.ReplaceAllString(strings.TrimSuffix(out[i], end), "*")
		for line := range strings.Lines(out[i]) {
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "$ ") {
				t.Errorf("%q cannot be told from what is written in testdata/statements", line)
			}
		}
	}
	return out[:len(all)]
}
