package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChangelog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("CHANGELOG.md", "# Changelog\n\nIntroduction.\n\n## 0.1.0\n\nThe first release.\n")
	write("changelog/unreleased/.gitkeep", "")
	if err := cutChangelog(dir, "v0.2.0"); err == nil {
		t.Error("a release without changes has notes")
	}
	write("changelog/unreleased/undo", "Fixed: Undo a move\n\nIt failed. Now it works.\n\nIssue: 12\n")
	write("changelog/unreleased/tags", "Added: Print tags.\n\n`cairn get --tags` prints them,\none a line.\n")
	if err := cutChangelog(dir, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	const want = `# Changelog

Introduction.

## 0.2.0

### Added

- **Print tags.** ` + "`cairn get --tags`" + ` prints them,
  one a line.

### Fixed

- **Undo a move.** It failed. Now it works.
  Issue: 12

## 0.1.0

The first release.
`
	got, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "changelog", "unreleased")); err != nil || len(left) != 1 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// A version with a page of its own has that page as its notes.
func TestChangelogOfAPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"CHANGELOG.md":           "# Changelog\n\nIntroduction.\n",
		"changelog/unreleased/a": "Fixed: Undo a move\n\nIt failed. Now it works.\n",
		"changelog/0.1.0.md":     "# 0.1.0\n\nThe first release. See [care](../docs/care.md).\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := cutChangelog(dir, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	const want = "# Changelog\n\nIntroduction.\n\n## 0.1.0\n\nThe first release. See [care](docs/care.md).\n"
	if got, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md")); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, name := range []string{"changelog/0.1.0.md", "changelog/unreleased/a"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

func TestChangesAreInTheFormOfTheTemplate(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile("../../changelog/TEMPLATE")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseChange(string(template)); err == nil {
		t.Error("the template itself passes for a change")
	}
	var filled []string
	for line := range strings.Lines(string(template)) {
		if !strings.HasPrefix(line, "#") {
			filled = append(filled, line)
		}
	}
	if c, err := parseChange(strings.Join(filled, "")); err != nil || c.kind != "Added" || len(c.text) != 2 {
		t.Errorf("the filled template: %+v, %v", c, err)
	}
	for _, text := range []string{"", "Print tags\n\nText.\n", "Improved: Tags\n\nText.\n", "Added: Tags\n", "Added: Tags\nand more\n\nText.\n"} {
		if c, err := parseChange(text); err == nil {
			t.Errorf("%q is taken for %+v", text, c)
		}
	}
	if _, _, err := unreleased("../.."); err != nil {
		t.Error(err)
	}
}
