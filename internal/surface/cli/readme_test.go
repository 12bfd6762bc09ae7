package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What the README's tour cannot foresee.
var (
	fencedBlock = regexp.MustCompile("(?ms)^```$\n(.*?)^```$")
	unforeseen  = regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d)?|\(\d+ ms\)`)
)

// Whoever types what the README's tour shows sees what it shows. A line that is
// "…" stands for any lines.
func TestReadmeTour(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the tour is typed into a shell")
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(readme), "\n## A short tour\n")
	tour, _, _ = strings.Cut(tour, "\n## For agents\n")
	var shown, script strings.Builder
	for _, block := range fencedBlock.FindAllStringSubmatch(tour, -1) {
		shown.WriteString(block[1])
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString("cat <<'EOF'\n" + line + "EOF\n" + command)
			}
		}
	}
	if strings.Count(shown.String(), "$ cairn ") < 10 {
		t.Fatalf("the tour shows too few commands:\n%s", shown.String())
	}
	want := regexp.QuoteMeta(unforeseen.ReplaceAllString(shown.String(), "*"))
	want = strings.ReplaceAll(want, "\n…\n", "\n(?:.*\n)*?")

	got := unforeseen.ReplaceAllString(typed(t, script.String()), "*")
	if !regexp.MustCompile("^" + want + "$").MatchString(got) {
		t.Errorf("the README shows\n%s\nand this happens:\n%s", shown.String(), got)
	}
}

// The answer that the README shows to its first question is in the page that it names, with
// … between passages. How many pages are left to embed depends on the machine.
func TestReadmeAnswer(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, answer, _ := strings.Cut(string(readme), "\nThe answer to the question:\n\n```\n")
	answer, _, _ = strings.Cut(answer, "\n```\n")
	lines := strings.Split(answer, "\n")
	if len(lines) < 10 {
		t.Fatalf("the README shows no answer:\n%s", answer)
	}
	path, _, _ := strings.Cut(strings.TrimSpace(lines[1]), ":")
	page, err := os.ReadFile("../../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[2:] {
		text, isText := strings.CutPrefix(line, "  ")
		if isText && text != "…" && !strings.HasPrefix(text, "[section; … more tokens: ") && !strings.Contains(string(page), text+"\n") {
			t.Errorf("%s has no line %q", path, text)
		}
	}
	if !strings.Contains(answer, "\nnote: … pages not embedded yet (about …): cairn embed") {
		t.Errorf("the README says how many pages are left to embed, which depends on the machine:\n%s", answer)
	}
}

// typed returns what a shell prints that runs the script as in a clone, errors
// included.
func typed(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../../examples")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "TZ=UTC",
		"CAIRN_DB=", "CAIRN_SPACE=", "CAIRN_ACTOR=", "CAIRN_CONFIG=", "CAIRN_FORMAT=human", "CAIRN_EMBED=off", "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("a command does not end: %v\n%s", err, out)
	}
	return string(out) // the exit code is that of the last command, and nobody's concern
}
