package git

import (
	"context"
	"strconv"
	"strings"
)

// Logged is a commit that changed some paths.
type Logged struct {
	ID     string
	Tokens []string          // of the writes that it is of
	Blobs  map[string]string // ids of its content at paths of the Tree; "" for none
}

// Log lists the latest commits, at most n, that changed paths of the Tree, newest first.
func (t *Tree) Log(ctx context.Context, r *Repo, paths []string, n int) ([]Logged, error) {
	args := []string{"log", "-z", "--max-count=" + strconv.Itoa(n), "--no-renames", "--diff-merges=first-parent", "--raw", "--no-abbrev",
		"--format=%x01%H%x02%(trailers:key=" + TokenKey + ",valueonly,separator=%x2C)", "--"}
	out, err := t.git(ctx, run{args: append(args, paths...)})
	if exitOf(err) == 128 {
		if head, look := t.Head(ctx, r); look == nil && head == "" {
			return nil, nil // there are no commits yet
		}
	}
	if err != nil {
		return nil, err
	}
	var all []Logged
	for _, chunk := range strings.Split(string(out), "\x01")[1:] {
		head, rest, _ := strings.Cut(chunk, "\x00")
		id, tokens, _ := strings.Cut(head, "\x02")
		l := Logged{ID: id, Blobs: map[string]string{}}
		if tokens = strings.TrimSpace(tokens); tokens != "" {
			l.Tokens = strings.Split(tokens, ",")
		}
		listed := fields([]byte(strings.TrimPrefix(rest, "\n")))
		for i := 0; i+1 < len(listed); i += 2 {
			about := strings.Fields(listed[i])
			if in, ok := r.Owns(listed[i+1]); ok && len(about) >= 4 {
				l.Blobs[in] = entryOf(about[1], about[3]).ID
			}
		}
		all = append(all, l)
	}
	return all, nil
}
