//go:build unix

package torture

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// What has a note's name and is no file is left out, named, and not waited for.
func TestHostileKindsOfFile(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "a\n"})
	at := func(name string) string { return filepath.Join(root(home), name) }
	if err := syscall.Mkfifo(at("fifo.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := apptest.OK(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0))(t)
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: at("socket.md")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := []string{"dir.md", "fifo.md", "socket.md"}
	if err := syscall.Mknod(at("device.md"), syscall.S_IFCHR|0o600, 1<<8|3); err == nil { // root only
		want = []string{"device.md", "dir.md", "fifo.md", "socket.md"}
	}
	c := newCommands(t, home, "reader")
	r := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, s.Path)
	}
	if strings.Join(skipped, " ") != strings.Join(want, " ") || len(r.Added) != 1 {
		t.Errorf("left out %q, read %q", skipped, r.Added)
	}
	for _, name := range want {
		if _, err := c.Put(t.Context(), change.PutRequest{Ref: name, Text: []byte("text\n"), Overwrite: true}); err == nil {
			t.Errorf("%s was written to", name)
		}
	}
}
