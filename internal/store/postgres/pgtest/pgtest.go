package pgtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Install is the command that installs the server on Debian.
const Install = "apt-get install -y postgresql"

// Server is a running server. Its files are gone when the process ends.
type Server struct {
	Dir  string // of its sockets; the data is in data below it
	bin  string
	args []string // before a program: drop to another user
	stop func() error
	log  string
}

// start starts the server that all tests of the process share, with no flush to the disk.
var start = sync.OnceValues(func() (*Server, error) {
	return New("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300",
		"-c", "autovacuum=off", "-c", "jit=off", "-c", "max_wal_size=4GB", "-c", "checkpoint_timeout=1h")
})

// Shared returns the server of this process. Without PostgreSQL the test is skipped, except
// in CI.
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	Need(t, err)
	return s
}

// Need skips a test where the server is not installed, and fails for other errors.
func Need(t testing.TB, err error) {
	t.Helper()
	if Missing(err) && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is not installed: %s", Install)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Missing reports whether an error of New says that no server is installed.
func Missing(err error) bool { return errors.Is(err, errMissing) }

var memories atomic.Int64

// URL returns the URL of a memory of the shared server that does not exist yet.
func URL(t testing.TB) string {
	t.Helper()
	return Shared(t).URL(fmt.Sprintf("m%d_%d", os.Getpid(), memories.Add(1)))
}

// URL returns the URL of a memory.
func (s *Server) URL(memory string) string {
	return "postgres:///postgres?" + url.Values{"host": {s.Dir}, "user": {"cairn"}}.Encode() + "&memory=" + memory
}

// Database returns the URL of a memory in a database of its own, until the test ends: a copy of
// that of another such URL, which nobody may use meanwhile, or an empty one.
func (s *Server) Database(t testing.TB, from string) (where string) {
	t.Helper()
	where = s.Keep(t, from)
	t.Cleanup(func() { s.SQL(t, "DROP DATABASE "+database(where)+" WITH (FORCE)") })
	return where
}

// Keep is Database for as long as the server runs.
func (s *Server) Keep(t testing.TB, from string) (where string) {
	t.Helper()
	name := fmt.Sprintf("d%d_%d", os.Getpid(), memories.Add(1))
	sql := "CREATE DATABASE " + name
	if from != "" {
		sql += " TEMPLATE " + database(from)
	}
	s.SQL(t, sql)
	return strings.Replace(s.URL("main"), ":///postgres?", ":///"+name+"?", 1)
}

// database is that of a URL.
func database(where string) string {
	_, rest, _ := strings.Cut(where, ":///")
	name, _, _ := strings.Cut(rest, "?")
	return name
}

var errMissing = errors.New("no PostgreSQL server is installed")

// Programs names the directory of a server's programs in the environment, such as initdb.
const Programs = "CAIRN_POSTGRES"

// binaries returns the directory of the server that the environment names, else of the newest.
func binaries() (string, error) {
	if dir := os.Getenv(Programs); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			return "", fmt.Errorf("%s names no server: %w", Programs, err)
		}
		return dir, nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errMissing
	}
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })
	return filepath.Dir(found[len(found)-1]), nil
}

// New makes and starts a server with options. The caller stops it; it also stops when this
// process ends.
func New(options ...string) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cairn-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, bin: bin, log: filepath.Join(dir, "log")}
	if os.Geteuid() == 0 { // which PostgreSQL refuses
		user := "nobody"
		if exec.Command("id", "postgres").Run() == nil {
			user = "postgres"
		}
		if out, err := exec.Command("chown", user, dir).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		s.args = []string{"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"}
		if user == "nobody" {
			s.args[2] = "--regid=nogroup"
		}
	}
	if out, err := s.command("initdb", "-D", s.data(), "-U", "cairn", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, s.Start(options...)
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// command is a program of the server as the user that runs it.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	all := append(slices.Clone(s.args), filepath.Join(s.bin, name))
	all = append(all, args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = s.Dir
	return cmd
}

// Start starts the server again.
func (s *Server) Start(options ...string) error {
	serve := s.command("postgres", append([]string{"-D", s.data(), "-k", s.Dir, "-c", "listen_addresses="}, options...)...)
	// The shell ends it when its input ends, at the latest with this process.
	const run = `"$@" >> log 2>&1 & server=$!; read -r _; kill -INT $server 2>/dev/null; wait $server; test -n "$KEEP" || rm -rf "$DIR"`
	sh := exec.Command("sh", append([]string{"-c", run, "sh"}, serve.Args...)...)
	sh.Dir = s.Dir
	sh.Env = append(os.Environ(), "DIR="+s.Dir)
	in, err := sh.StdinPipe()
	if err != nil {
		return err
	}
	if err := sh.Start(); err != nil {
		return err
	}
	s.stop = func() error { return errors.Join(in.Close(), sh.Wait()) }
	return s.ready()
}

// ready waits until the server takes connections.
func (s *Server) ready() error {
	ask := s.command("pg_isready", "-h", s.Dir, "-U", "cairn", "-d", "postgres")
	const wait = `n=0; until "$@"; do n=$((n+1)); test $n -lt 600 || exit 1; sleep 0.05; done`
	out, err := exec.Command("sh", append([]string{"-c", wait, "sh"}, ask.Args...)...).CombinedOutput()
	if err == nil {
		return nil
	}
	log, e := os.ReadFile(s.log)
	return errors.Join(fmt.Errorf("the server does not start: %s %s", log, out), err, e)
}

// Close stops the server and removes its files.
func (s *Server) Close() error { return s.stop() }

// Control runs pg_ctl on the server, such as with restart -m immediate.
func (s *Server) Control(args ...string) error {
	out, err := s.command("pg_ctl", append([]string{"-D", s.data(), "-w", "-l", filepath.Join(s.Dir, "control.log")}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pg_ctl: %w: %s", err, out)
	}
	return nil
}

// SQL runs statements as the owner of the server and returns what psql prints.
func (s *Server) SQL(t testing.TB, sql string) string {
	t.Helper()
	out, err := s.command("psql", "-h", s.Dir, "-U", "cairn", "-d", "postgres", "-AtqX", "-v", "ON_ERROR_STOP=1", "-c", sql).CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// Idle is the number of transactions that an application has open without a statement.
func (s *Server) Idle(t testing.TB, app string) string {
	t.Helper()
	return s.SQL(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"+app+"' AND state LIKE 'idle in transaction%'")
}

// Counted is how many rows a table of a memory had when the server, or cairn, counted them last.
func (s *Server) Counted(t testing.TB, where, table string) string {
	_, memory, _ := strings.Cut(where, "memory=")
	return s.SQL(t, "SELECT reltuples FROM pg_class WHERE oid = 'cairn_"+memory+"."+table+"'::regclass")
}

// Shell runs a command of the shell, which may use the programs of the server, in its directory.
func (s *Server) Shell(t testing.TB, command string) {
	t.Helper()
	if out, err := s.Script(command); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// Script is Shell without a test. It returns all that the command prints.
func (s *Server) Script(command string) ([]byte, error) {
	all := append(slices.Clone(s.args), "sh", "-c", command)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"))
	return cmd.CombinedOutput()
}

// Standby makes and starts a server that follows this one until the test ends.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "cairn-pg-")
	if err != nil {
		t.Fatal(err)
	}
	to := &Server{Dir: dir, bin: s.bin, args: s.args, log: filepath.Join(dir, "log")}
	if len(s.args) > 0 {
		user := strings.TrimPrefix(s.args[1], "--reuid=")
		if out, err := exec.Command("chown", user, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := to.command("pg_basebackup", "-h", s.Dir, "-U", "cairn", "-D", to.data(), "-R", "--checkpoint=fast", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	if err := to.Start("-c", "fsync=off"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	return to
}
