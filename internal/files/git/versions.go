package git

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// Version is a file as some commit has it.
type Version struct {
	Path string // in the Tree
	ID   string
	Size int64
}

// batch is how many bytes of files are read at once.
const batch = 8 << 20

// Versions calls see with the content of each version of each file of the Tree
// in a commit of a branch, a tag or a stash, except those larger than most
// bytes, which are counted.
func (t *Tree) Versions(ctx context.Context, r *Repo, most int64, see func(Version, []byte) error) (read, left int, err error) {
	out, err := t.git(ctx, run{args: []string{"rev-list", "--objects", "--all"}, limit: farLimit})
	if err != nil {
		return 0, 0, err
	}
	var ids bytes.Buffer
	paths := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, at, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if in, own := r.Owns(at); ok && own && in != "" {
			paths[id] = in
			ids.WriteString(id + "\n")
		}
	}
	if ids.Len() == 0 {
		return 0, 0, nil
	}
	out, err = t.git(ctx, run{args: []string{"cat-file", "--batch-check"}, stdin: ids.Bytes(), limit: farLimit})
	if err != nil {
		return 0, 0, err
	}
	var next []Version
	var size int64
	flush := func() error {
		err := t.contents(ctx, next, see)
		read += len(next)
		next, size = nil, 0
		return err
	}
	for line := range strings.Lines(string(out)) {
		about := strings.Fields(line)
		if len(about) != 3 || about[1] != "blob" {
			continue
		}
		n, err := strconv.ParseInt(about[2], 10, 64)
		if err != nil || n > most {
			left++
			continue
		}
		if size+n > batch && len(next) > 0 {
			if err := flush(); err != nil {
				return read, left, err
			}
		}
		next, size = append(next, Version{paths[about[0]], about[0], n}), size+n
	}
	return read, left, flush()
}

// contents reads versions at once.
func (t *Tree) contents(ctx context.Context, all []Version, see func(Version, []byte) error) error {
	if len(all) == 0 {
		return nil
	}
	var ids bytes.Buffer
	for _, v := range all {
		ids.WriteString(v.ID + "\n")
	}
	out, err := t.git(ctx, run{args: []string{"cat-file", "--batch"}, stdin: ids.Bytes(), limit: farLimit})
	if err != nil {
		return err
	}
	for _, v := range all {
		head, rest, ok := bytes.Cut(out, []byte("\n"))
		if !ok || !bytes.HasPrefix(head, []byte(v.ID+" blob ")) || int64(len(rest)) <= v.Size {
			return &Failure{Command: "cat-file", Said: "an answer that cannot be read"}
		}
		if err := see(v, rest[:v.Size]); err != nil {
			return err
		}
		out = rest[v.Size+1:]
	}
	return nil
}

// Since returns the first commit that has an object, abbreviated; "" when none
// is found.
func (t *Tree) Since(ctx context.Context, id string) (string, error) {
	out, err := t.git(ctx, run{args: []string{"log", "--all", "--no-show-signature", "--format=%h", "--find-object=" + id}, limit: farLimit})
	all := strings.Fields(string(out))
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[len(all)-1], nil
}
