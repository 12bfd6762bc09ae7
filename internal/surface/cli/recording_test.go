package cli_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/cli/scripttest"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// The picture in the README is made of what these commands print on a terminal.
// -update draws it anew.
func TestRecording(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if err := os.CopyFS(filepath.Join(u.env.Dir, "notes"), os.DirFS("../../../examples/notes")); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(filepath.Join(u.env.Dir, "notes"), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, now, now)
	})
	if err != nil {
		t.Fatal(err)
	}
	u.env.Now = func() time.Time { return now }
	u.env.Window = func() terminal.Window { return terminal.Window{Columns: 88} }
	var seen strings.Builder
	for _, args := range [][]string{
		{"search", "--in", "notes", "punched cards"},
		{"link", "people/ada", "works_on", "projects/engine", "--since", "1842", "--in", "notes"},
		{"backlinks", "Analytical Engine", "--in", "notes"},
		{"undo", "--in", "notes"},
	} {
		out, errout, code := u.run(t.Context(), args...)
		if code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, errout)
		}
		seen.WriteString("\x1b[32m$\x1b[m cairn " + shellWords(args) + "\n" + out + "\n")
	}
	const file = "../../../docs/tour.svg"
	got := drawn(seen.String())
	if *scripttest.Update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is out of date; go test -run TestRecording ./internal/surface/cli -update draws it anew", file)
	}
}

// shellWords is how arguments are typed.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if strings.Contains(a, " ") {
			words[i] = `"` + a + `"`
		}
	}
	return strings.Join(words, " ")
}

var hyperlink = regexp.MustCompile(`\x1b\]8;[^\a]*\a`)

var sgr = regexp.MustCompile(`\x1b\[(\d*)m`)

// drawn is a terminal that shows this text, as an SVG picture.
func drawn(text string) string {
	const line, cell, margin = 20, 8.43, 18
	style := map[string]string{"1": ` font-weight="bold" fill="#fff"`, "2": ` fill="#8b949e"`, "31": ` fill="#ff7b72"`, "32": ` fill="#7ee787"`, "33": ` fill="#d29922"`}
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(hyperlink.ReplaceAllString(text, ""), "\n"), "\n")
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">`+"\n", 88*cell+2*margin, len(lines)*line+2*margin)
	b.WriteString(`<rect width="100%" height="100%" rx="8" fill="#0d1117"/>` + "\n")
	for i, l := range lines {
		fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+14+i*line)
		open, at := "", 0
		piece := func(to int) {
			if part := html.EscapeString(l[at:to]); part != "" && open != "" {
				b.WriteString("<tspan" + open + ">" + part + "</tspan>")
			} else {
				b.WriteString(part)
			}
		}
		for _, m := range sgr.FindAllStringSubmatchIndex(l, -1) {
			piece(m[0])
			open, at = style[l[m[2]:m[3]]], m[1]
		}
		piece(len(l))
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
