package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

var rules = vault.Rules{Extensions: []string{".md"}}

// saver is the name of the variable that makes the test's binary a process
// that changes files when it is told to.
const saver = "CAIRN_TEST_SAVER"

func TestMain(m *testing.M) {
	if root := os.Getenv(saver); root != "" {
		save(root)
		return
	}
	os.Exit(m.Run())
}

// save does what lines of standard input say, and answers each with "done".
func save(root string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		path := filepath.Join(root, words[1])
		var err error
		switch words[0] {
		case "write":
			err = os.WriteFile(path, []byte(words[2]), 0o644)
		case "append":
			var f *os.File
			if f, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
				_, err = f.WriteString(words[2])
				err = errors.Join(err, f.Close())
			}
		case "replace":
			temp := filepath.Join(filepath.Dir(path), ".saving")
			err = errors.Join(os.WriteFile(temp, []byte(words[2]), 0o644), os.Rename(temp, path))
		case "mkdir":
			err = errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, "in.md"), []byte(words[2]), 0o644))
		case "move":
			err = os.Rename(path, filepath.Join(root, words[2]))
		case "remove":
			err = os.RemoveAll(path)
		}
		if err != nil {
			fmt.Println("failed:", err)
			continue
		}
		fmt.Println("done")
	}
}

// other is a process that changes files.
type other struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newOther(t *testing.T, root string) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), saver+"="+root)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	return &other{t, in, bufio.NewReader(out)}
}

func (o *other) do(words ...string) {
	o.t.Helper()
	if _, err := fmt.Fprintln(o.in, strings.Join(words, " ")); err != nil {
		o.t.Fatal(err)
	}
	if answer, err := o.out.ReadString('\n'); err != nil || answer != "done\n" {
		o.t.Fatalf("%q: %q, %v", words, answer, err)
	}
}

// view is what somebody knows of a tree who believes its queue.
type view struct {
	t     *testing.T
	tree  *fsys.Dir
	queue *Queue
	files map[string]vault.File
	whole int // listings
}

func newView(t *testing.T, root string) *view {
	t.Helper()
	tree, err := fsys.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	q, err := Open(root, tree, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return &view{t: t, tree: tree, queue: q}
}

func (v *view) scan(tree fsys.FS) map[string]vault.File {
	v.t.Helper()
	l, err := vault.Scan(context.Background(), tree, rules)
	if err != nil {
		v.t.Fatal(err)
	}
	out := map[string]vault.File{}
	for _, f := range l.Files {
		f.Sum = 0 // of the rest
		out[f.Path] = f
	}
	return out
}

// look takes what is in the queue.
func (v *view) look() Taken {
	v.t.Helper()
	got := v.queue.Take(context.Background())
	if got.Whole {
		v.whole++
		v.files = v.scan(v.queue.Tree(v.tree))
	}
	for _, p := range got.Paths {
		info, err := v.tree.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			delete(v.files, p)
		case err != nil:
			v.t.Fatal(err)
		default:
			f := vault.File{Path: p, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
			if side, err := v.tree.Lstat(vault.SidecarPath(p)); err == nil {
				f.Side = vault.Side{Size: side.Size(), ModTime: side.ModTime().UnixNano()}
			}
			v.files[p] = f
		}
	}
	if err := v.queue.Err(); err != nil {
		v.t.Fatal(err)
	}
	return got
}

// same ends the test where what is believed is not what is there.
func (v *view) same(after string) {
	v.t.Helper()
	want := v.scan(v.tree)
	for p, f := range want {
		if v.files[p] != f {
			v.t.Fatalf("after %s: %s is %+v, and %+v is known", after, p, f, v.files[p])
		}
	}
	for p := range v.files {
		if _, there := want[p]; !there {
			v.t.Fatalf("after %s: %s is gone, and known", after, p)
		}
	}
}

// What another process saved before the question is in the answer, every time.
func TestNoneIsMissed(t *testing.T) {
	t.Parallel()
	rounds := slowtest.Count(1500, 10_000)
	root := fsystest.TempDir(t)
	outside := ".outside" // hidden: no part of the tree
	if err := os.MkdirAll(filepath.Join(root, outside), 0o755); err != nil {
		t.Fatal(err)
	}
	o, v := newOther(t, root), newView(t, root)
	v.look()
	r := rand.New(rand.NewPCG(1, 2))
	dirs, files := []string{"."}, []string{}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	below := func(dir string) func(string) bool {
		return func(p string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
	}
	for i := range rounds {
		text := strings.Repeat("x", 1+r.IntN(40))
		name := filepath.Join(pick(dirs), fmt.Sprintf("n%d.md", r.IntN(30)))
		var step []string
		switch n := r.IntN(100); {
		case n < 30:
			step = []string{"write", name, text}
			files = append(files, name)
		case n < 45:
			step = []string{"append", name, text}
			files = append(files, name)
		case n < 70:
			step = []string{"replace", name, text}
			files = append(files, name)
		case n < 80 && len(dirs) < 20:
			dir := filepath.Join(pick(dirs), fmt.Sprintf("d%d", i), "deep")
			step = []string{"mkdir", dir, text}
			dirs = append(dirs, filepath.Dir(dir), dir)
		case n < 85 && len(dirs) < 20:
			dir := fmt.Sprintf("m%d", i)
			o.do("mkdir", outside+"/"+dir, text)
			step = []string{"move", outside + "/" + dir, dir}
			dirs = append(dirs, dir)
		case n < 87: // what lies beside a note, or may do so later
			dir, side := pick(dirs), ".raw"
			if _, err := v.tree.Lstat(filepath.Join(dir, side)); err != nil {
				o.do("mkdir", filepath.Join(dir, side), text) // with a note that is none
			}
			step = []string{[]string{"write", "replace"}[r.IntN(2)], filepath.Join(dir, side, fmt.Sprintf("n%d.json", r.IntN(30))), text}
		case n < 90 && len(dirs) > 1:
			from, to := dirs[1+r.IntN(len(dirs)-1)], fmt.Sprintf("r%d", i)
			step = []string{"move", from, to}
			dirs = append(slices.DeleteFunc(dirs, below(from)), to)
			files = slices.DeleteFunc(files, below(from))
		case n < 95 && len(dirs) > 1:
			dir := dirs[1+r.IntN(len(dirs)-1)]
			step = []string{"remove", dir}
			dirs = slices.DeleteFunc(dirs, below(dir))
			files = slices.DeleteFunc(files, below(dir))
		case len(files) > 0:
			step = []string{"remove", pick(files)}
		default:
			continue
		}
		o.do(step...)
		v.look()
		v.same(fmt.Sprintf("round %d, %q", i, step))
	}
	if v.whole > rounds/2 {
		t.Errorf("%d of %d questions listed the whole tree", v.whole, rounds)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		do    [][]string
		paths []string
		whole bool
	}{
		{"nothing", nil, nil, false},
		{"a note", [][]string{{"write", "a.md", "x"}}, []string{"a.md"}, false},
		{"the same note twice", [][]string{{"write", "sub/b.md", "x"}, {"replace", "sub/b.md", "y"}}, []string{"sub/b.md"}, false},
		{"a note that goes", [][]string{{"remove", "a.md"}}, []string{"a.md"}, false},
		{"a note that moves", [][]string{{"move", "a.md", "sub/c.md"}}, []string{"a.md", "sub/c.md"}, false},
		{"no note", [][]string{{"write", "a.png", "x"}, {"write", ".hidden.md", "x"}}, nil, false},
		{"what lies beside a note", [][]string{{"write", "sub/.raw/b.json", "x"}}, []string{"sub/b.md"}, false},
		{"what lies beside none", [][]string{{"write", "sub/.raw/c.json", "x"}}, nil, true},
		{"a directory beside notes", [][]string{{"mkdir", ".raw", "x"}, {"write", ".raw/a.json", "x"}}, nil, true},
		{"an ignored note", [][]string{{"write", "ignored.md", "x"}, {"write", "ignored/c.md", "x"}}, nil, false},
		{"an ignored directory", [][]string{{"mkdir", "ignored/sub", "x"}, {"remove", "ignored"}}, nil, false},
		{"an ignore file", [][]string{{"write", "sub/.gitignore", "b.md"}}, nil, true},
		{"git's private ignore file", [][]string{{"mkdir", ".git/info", "x"}, {"write", ".git/info/exclude", "b.md"}}, nil, true},
		{"a directory that comes", [][]string{{"mkdir", "new", "x"}}, nil, true},
		{"a directory that goes", [][]string{{"remove", "sub"}}, nil, true},
		{"a directory that moves", [][]string{{"move", "sub", "other"}}, nil, true},
		{"a directory that leaves", [][]string{{"move", "sub", ".away"}}, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := fsystest.TempDir(t)
			o := newOther(t, root)
			o.do("mkdir", "sub", "x")
			o.do("mkdir", "ignored", "x")
			o.do("mkdir", "sub/.raw", "x")
			for _, name := range []string{"a.md", "sub/b.md", "ignored.md"} {
				o.do("write", name, "x")
			}
			o.do("write", ".gitignore", "ignored*")
			v := newView(t, root)
			if got := v.look(); !got.Whole {
				t.Fatalf("the first is %+v", got)
			}
			if got := v.look(); got.Whole || len(got.Paths) > 0 {
				t.Fatalf("though nothing happened: %+v", got)
			}
			for _, step := range tc.do {
				o.do(step...)
			}
			got := v.look()
			slices.Sort(got.Paths)
			if got.Whole != tc.whole || !slices.Equal(got.Paths, tc.paths) && !tc.whole {
				t.Errorf("got %+v, want %v, whole %v", got, tc.paths, tc.whole)
			}
			v.same(tc.name)
			o.do("write", "last.md", "x")
			if got := v.look(); got.Whole || !slices.Equal(got.Paths, []string{"last.md"}) {
				t.Errorf("afterwards %+v", got)
			}
			v.same("the last")
		})
	}
}

// More files than are told one by one, and more events than the queue holds,
// are a listing.
func TestTooMany(t *testing.T) {
	t.Parallel()
	root := fsystest.TempDir(t)
	v := newView(t, root)
	v.look()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxPaths + 1 {
		write(fmt.Sprintf("n%d.md", i))
	}
	if got := v.look(); !got.Whole {
		t.Errorf("%d files: %+v", maxPaths+1, got)
	}
	// The queue is bounded by fs.inotify.max_queued_events; a second one that
	// is full stands for it.
	v.queue.mu.Lock()
	overflow := make([]byte, unix.SizeofInotifyEvent)
	overflow[0], overflow[1], overflow[2], overflow[3] = 0xff, 0xff, 0xff, 0xff // wd -1
	overflow[5] = unix.IN_Q_OVERFLOW >> 8
	if !v.queue.events(t.Context(), overflow, map[string]bool{}) {
		t.Error("an overflow is taken for an event")
	}
	v.queue.begin()
	v.queue.mu.Unlock()
	write("last.md")
	if got := v.look(); !got.Whole {
		t.Errorf("after an overflow: %+v", got)
	}
	v.same("an overflow")
}

// A file system that other machines change is refused, also where it is
// mounted within the tree, and so is one that nobody knows.
func TestFileSystems(t *testing.T) {
	// Serial: it replaces statfs.
	root := fsystest.TempDir(t)
	if err := os.MkdirAll(filepath.Join(root, "mounted"), 0o755); err != nil {
		t.Fatal(err)
	}
	was := statfs
	t.Cleanup(func() { statfs = was })
	kind, at := int64(unix.NFS_SUPER_MAGIC), root
	statfs = func(path string, st *unix.Statfs_t) error {
		st.Type = unix.EXT4_SUPER_MAGIC
		if path == at {
			st.Type = kind
		}
		return nil
	}
	tree, err := fsys.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, kind = range []int64{unix.NFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, 0x1234567} {
		if _, err := Open(root, tree, rules); !errors.As(err, new(*Unsupported)) {
			t.Errorf("%x: %v", kind, err)
		}
	}
	at = filepath.Join(root, "mounted")
	v := newView(t, root)
	v.queue.Take(t.Context())
	v.scan(v.queue.Tree(tree))
	if err := v.queue.Err(); !errors.As(err, new(*Unsupported)) {
		t.Errorf("mounted within: %v", err)
	}
}

// late is a tree in which something comes into each directory as soon as it was
// read.
type late struct {
	fsys.FS
	come func(dir string)
}

func (l late) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := l.FS.ReadDir(name)
	if err == nil {
		l.come(name)
	}
	return entries, err
}

// What comes into a directory after it was read, and before the listing is
// done, is in the queue.
func TestWhileListing(t *testing.T) {
	t.Parallel()
	root := fsystest.TempDir(t)
	if err := os.MkdirAll(filepath.Join(root, "sub/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	v := newView(t, root)
	v.queue.Take(t.Context())
	v.files = v.scan(v.queue.Tree(late{v.tree, func(dir string) {
		if err := os.WriteFile(filepath.Join(root, dir, "late.md"), []byte("x"), 0o644); err != nil {
			t.Error(err)
		}
	}}))
	if len(v.files) != 0 {
		t.Fatalf("listed: %v", v.files)
	}
	v.look()
	v.same("a listing")
	if len(v.files) != 3 {
		t.Errorf("known: %v", v.files)
	}
}
