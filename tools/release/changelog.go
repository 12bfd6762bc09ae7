package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kinds are those of changes, in the order of the notes of a release.
var kinds = []string{"Security", "Changed", "Added", "Fixed"}

// change is one file of changelog/unreleased.
type change struct {
	kind, title string
	text        []string // paragraphs
}

// parseChange reads a file in the form of changelog/TEMPLATE.
func parseChange(text string) (change, error) {
	parts := strings.Split(strings.TrimSpace(text), "\n\n")
	kind, title, ok := strings.Cut(parts[0], ": ")
	switch {
	case strings.HasPrefix(text, "#") || strings.Contains(text, "\n#"):
		return change{}, errors.New("remove the lines of the template that begin with #")
	case !ok || !slices.Contains(kinds, kind) || title == "" || strings.Contains(title, "\n"):
		return change{}, fmt.Errorf("the first line is not one of %s with a colon and a sentence", strings.Join(kinds, ", "))
	case len(parts) < 2:
		return change{}, errors.New("it says only what changed, not how it was and how it is now")
	}
	return change{kind, title, parts[1:]}, nil
}

// unreleased reads the changes since the last release and the names of their files.
func unreleased(repository string) (changes []change, files []string, err error) {
	dir := filepath.Join(repository, "changelog", "unreleased")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		c, err := parseChange(string(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		changes, files = append(changes, c), append(files, file)
	}
	return changes, files, nil
}

// notes are the changes as a section of CHANGELOG.md.
func notes(version string, changes []change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", strings.TrimPrefix(version, "v"))
	for _, kind := range kinds {
		headed := false
		for _, c := range changes {
			if c.kind != kind {
				continue
			}
			if !headed {
				fmt.Fprintf(&b, "\n### %s\n\n", kind)
				headed = true
			}
			fmt.Fprintf(&b, "- **%s.** %s\n", strings.TrimSuffix(c.title, "."), strings.ReplaceAll(strings.Join(c.text, "\n"), "\n", "\n  "))
		}
	}
	return b.String()
}

// written returns the notes of a version that are a page of their own, as a section of
// CHANGELOG.md, and the page's file; "" where there is none. Such a page takes the place of
// the unreleased changes: nobody has used the version before the first.
func written(repository, version string) (section, file string, err error) {
	number := strings.TrimPrefix(version, "v")
	file = filepath.Join(repository, "changelog", number+".md")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	rest, ok := strings.CutPrefix(string(text), "# "+number+"\n")
	if !ok {
		return "", "", fmt.Errorf("%s does not begin with the heading %s", file, number)
	}
	return "## " + number + "\n" + strings.ReplaceAll(rest, "](../", "]("), file, nil
}

// changelog returns CHANGELOG.md with the changes since the last release as the notes of
// a version.
func changelog(repository, version string) (text []byte, files []string, err error) {
	text, err = os.ReadFile(filepath.Join(repository, "CHANGELOG.md"))
	if err != nil {
		return nil, nil, err
	}
	changes, files, err := unreleased(repository)
	if err != nil {
		return nil, nil, err
	}
	section, page, err := written(repository, version)
	switch {
	case err != nil:
		return nil, nil, err
	case page != "":
		files = append(files, page)
	case len(changes) == 0:
		return text, nil, nil
	default:
		section = notes(version, changes)
	}
	head, rest, found := strings.Cut(string(text), "\n## ")
	out := strings.TrimRight(head, "\n") + "\n\n" + section
	if found {
		out += "\n## " + rest
	}
	return []byte(out), files, nil
}

// cutChangelog moves the changes since the last release into CHANGELOG.md.
func cutChangelog(repository, version string) error {
	text, files, err := changelog(repository, version)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("changelog/unreleased has no changes")
	}
	if err := os.WriteFile(filepath.Join(repository, "CHANGELOG.md"), text, 0o644); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
