package fsys

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Mounts are the mounted file systems and directories, the topmost last.
type Mounts []mount

type mount struct {
	device string // of the file system
	root   string // mounted directory of the file system
	point  string // where it is mounted
}

// ReadMounts lists the mounts that this process sees, none if they cannot be listed.
func ReadMounts() Mounts {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return parseMounts(string(text))
}

// parseMounts parses the format of proc_pid_mountinfo(5).
func parseMounts(text string) (out Mounts) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 4 {
			out = append(out, mount{device: f[2], root: unescapeMount(f[3]), point: unescapeMount(f[4])})
		}
	}
	return out
}

// unescapeMount decodes blanks, which are written as \040.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Others returns the other paths of an existing or future directory: its paths through other
// mounts, such as a bind mount and its source.
func (m Mounts) Others(dir string) (out []string) {
	on := -1
	for i, o := range m {
		if _, ok := belowDir(o.point, dir); ok && (on < 0 || len(o.point) >= len(m[on].point)) {
			on = i
		}
	}
	if on < 0 {
		return nil
	}
	rel, _ := belowDir(m[on].point, dir)
	inside := filepath.Join(m[on].root, rel)
	for i, o := range m {
		rel, ok := belowDir(o.root, inside)
		if i == on || o.device != m[on].device || !ok {
			continue
		}
		if other := filepath.Join(o.point, rel); other != dir && !slices.Contains(out, other) && sameDir(dir, other) {
			out = append(out, other)
		}
	}
	return out
}

// belowDir returns the path of name relative to dir, "" for dir itself.
func belowDir(dir, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// sameDir reports whether two paths lead to one directory, or would once it is made.
func sameDir(a, b string) bool {
	for {
		x, err := os.Stat(a)
		if err == nil {
			y, err := os.Stat(b)
			return err == nil && os.SameFile(x, y)
		}
		if !os.IsNotExist(err) || filepath.Base(a) != filepath.Base(b) || filepath.Dir(a) == a {
			return false
		}
		a, b = filepath.Dir(a), filepath.Dir(b)
	}
}
