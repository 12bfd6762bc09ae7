package git

import (
	"context"
	"strconv"
)

// driver is the name by which attributes of files ask for cairn to merge them.
const driver = "cairn"

// driven is the merge driver command; without a cairn that can merge, git
// merges by itself.
const driven = `if command -v cairn >/dev/null; then cairn merge-driver --marker-size %L %O %A %B %P; s=$?; ` +
	`case $s in 0|4) exit $s;; esac; fi; git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1`

// Drive sets in the repository how cairn merges, where the attributes of a path ask for it
// and nobody has said it otherwise.
func (t *Tree) Drive(ctx context.Context, path string) error {
	out, err := t.git(ctx, run{args: []string{"check-attr", "-z", "merge", "--", path}, plain: true})
	if err != nil {
		return err
	}
	if said := fields(out); len(said) != 3 || said[2] != driver {
		return nil
	}
	key := "merge." + driver + "."
	if _, err := t.line(ctx, "config", "--get", key+"driver"); err == nil || exitOf(err) != 1 {
		return err
	}
	if _, err := t.line(ctx, "config", "--local", key+"name", "pages, as cairn pull merges them"); err != nil {
		return err
	}
	_, err = t.line(ctx, "config", "--local", key+"driver", driven)
	return err
}

// MergeFile applies the changes from base to ours to theirs, line by line, and
// writes the result to ours; all are file names. It returns false when both
// changed the same lines, which get conflict markers, and when a file is not
// text, which leaves ours unchanged.
func (t *Tree) MergeFile(ctx context.Context, base, ours, theirs string, marks int) (bool, error) {
	args := []string{"merge-file", "-q", "-L", "ours", "-L", "base", "-L", "theirs"}
	if marks > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(marks))
	}
	_, err := t.git(ctx, run{args: append(args, "--", ours, base, theirs), plain: true})
	if exit := exitOf(err); exit > 0 {
		return false, nil
	}
	return err == nil, err
}
