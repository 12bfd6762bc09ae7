package pgtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bouncer runs PgBouncer in transaction mode before the server until the test ends, and returns
// the directory of its socket. Where it is not installed, the test is skipped.
func (s *Server) Bouncer(t testing.TB) (dir string) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed: apt-get install -y pgbouncer")
	}
	if dir, err = os.MkdirTemp(s.Dir, "b"); err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf("[databases]\npostgres = host=%s dbname=postgres user=cairn\n[pgbouncer]\nunix_socket_dir = %s\nlisten_addr =\nlisten_port = 5432\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 8\n", s.Dir, dir)
	file := filepath.Join(dir, "bouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { // another user runs it
		t.Fatal(err)
	}
	args := append(append([]string{}, s.args...), program, file)
	cmd := exec.Command(args[0], args[1:]...)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	log := make([]byte, 0, 4096)
	for !strings.Contains(string(log), "process up") {
		buf := make([]byte, 1024)
		n, err := out.Read(buf)
		if log = append(log, buf[:n]...); err != nil {
			t.Fatalf("PgBouncer does not start: %s", log)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return dir
}
