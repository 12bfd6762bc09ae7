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

// The notes of the README's tour, and what it cannot foresee.
var (
	tourNotes = map[string]string{
		"notes/people/ada.md": "---\ntitle: Ada Lovelace\ntype: person\ntags: [mathematics]\n---\n\n" +
			"> Wrote the first program for a machine that was never built.\n\nWorks with [[Charles Babbage]] on the engine.\n",
		"notes/people/babbage.md": "---\ntitle: Charles Babbage\n---\n\nDesigned it, and explained it to [Ada](ada.md).\n",
		"notes/projects/engine.md": "---\ntitle: Analytical Engine\n---\n" +
			"\nA general machine, driven by punched cards. The store keeps numbers, the mill works on them.\n",
	}
	fencedBlock = regexp.MustCompile("(?ms)^```$\n(.*?)^```$")
	unforeseen  = regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d)?|\(\d+ ms\)`)
)

// Whoever types what the README's tour shows sees what it shows. A line that is
// "…" stands for any lines.
func TestReadmeTour(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tour is typed into a shell")
	}
	readme, err := os.ReadFile("../../README.md")
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

// typed returns what a shell prints that runs the script beside the tour's
// notes, errors included.
func typed(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tourNotes {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
