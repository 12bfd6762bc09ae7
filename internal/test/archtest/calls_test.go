package archtest

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

// ban forbids names of a package of the standard library.
type ban struct {
	what    string
	imp     string
	names   string // separated by blanks
	tests   bool   // holds for tests, too
	because string
	// except names files that may, each with its reason.
	except map[string]string
	// home is the package that the rule is made for; it must have such names,
	// or the rule looks for the wrong ones. "" when there is none.
	home string
}

var bans = []ban{
	{
		what: "changes files", imp: "os",
		names: "WriteFile Create CreateTemp OpenFile Rename Remove RemoveAll Mkdir MkdirAll MkdirTemp " +
			"Symlink Link Chmod Chown Lchown Chtimes Truncate CopyFS OpenRoot OpenInRoot Root",
		because: "every change to a file goes through fsys, where it is atomic, durable, kept within its root, and tested against crashes",
		home:    "files/fsys",
		except: map[string]string{
			"internal/store/sqlite/open.go":   "SQLite owns the database file: it is made here with its permissions before SQLite opens it",
			"internal/store/sqlite/backup.go": "SQLite writes the backup's bytes; it is synced and renamed here",
		},
	},
	{
		what: "changes files", imp: "syscall",
		names:   "Open Creat Rename Renameat Unlink Unlinkat Rmdir Mkdir Mkdirat Link Symlink Truncate Ftruncate Write Pwrite Chmod Fchmod Mkfifo Mknod",
		because: "every change to a file goes through fsys",
	},
	{
		what: "reads the clock", imp: "time",
		names:   "Now Since Until",
		because: "time is passed in, so that a test says what it is and a decision can be repeated",
		home:    "cmd/cairn",
		except: map[string]string{
			"internal/store/sqlite/open.go":      "how long to wait for another process is measured, and decides nothing about pages; the clock of Options is the default for callers that have none",
			"internal/store/sqlite/tx.go":        "how long to wait for another process",
			"internal/store/sqlite/migrate.go":   "how long to wait for another process",
			"internal/store/postgres/begin.go":   "how long to wait for the server",
			"internal/store/postgres/engine.go":  "how long to wait for the server; the clock of Options is the default for callers that have none",
			"internal/store/postgres/lock.go":    "how long to wait for another process",
			"internal/store/postgres/listen.go":  "how long a number that was read is used",
			"internal/store/postgres/standby.go": "how long an answer about a standby is used",
			"internal/store/postgres/watched.go": "how long to wait for the server",
			"internal/store/postgres/tx.go":      "how long to wait for another process",
		},
	},
	{
		what: "waits for time to pass", imp: "time",
		names:   "After Tick NewTimer NewTicker AfterFunc",
		because: "work waits for events; what is polled must be polled in one place",
		home:    "files/fsys",
		except: map[string]string{
			"cmd/cairn/mcp.go":                  "SQLite has no event for a change by another process, so the memory is asked every second while an agent is served",
			"internal/store/sqlite/open.go":     "SQLite has no event for a lock that is let go by another process",
			"internal/store/sqlite/tx.go":       "bounds the wait for this process's own writer",
			"internal/store/postgres/engine.go": "PostgreSQL has no event for room for another connection",
			"internal/store/postgres/flush.go":  "there is no event for a server that can be reached again",
			"internal/store/postgres/lock.go":   "bounds the wait for this process's own holder of a lock",
			"internal/store/postgres/listen.go": "there is no event for a server that can be reached again",
			"internal/store/postgres/tx.go":     "bounds the wait for this process's own writer; there is no event for a server that can be reached again",
			"cmd/cairn/main.go":                 "timers are passed in",
			"cmd/cairn/signals.go":              "bounds how long a command takes to end after a signal",
			"cmd/cairn/signals_unix.go":         "there is no event for a signal that ends the process",
		},
	},
	{
		what: "sleeps", imp: "time", names: "Sleep", tests: true,
		because: "a test that sleeps is slow when it passes and wrong when the machine is slower",
	},
	{
		what: "reads the process's environment", imp: "os",
		names:   "Getenv LookupEnv Environ Setenv Unsetenv ExpandEnv UserHomeDir UserConfigDir UserCacheDir Getwd Chdir TempDir Hostname Args Stdin Stdout Stderr Exit",
		because: "what a process has comes in through command.Env and memory.Options, so that a test can say what it is",
		home:    "cmd/cairn",
		except:  map[string]string{"internal/files/git/tree.go": "a lock of Emacs names its machine, which is compared with this one"},
	},
	{
		what: "makes random ids", imp: "github.com/google/uuid",
		names:   "New NewString NewRandom NewUUID NewV7 NewV6 Must",
		because: "a rebuilt index has the same ids; only a new page or space gets a random one",
		home:    "memory/space",
	},
	{
		what: "writes to the log of the process", imp: "fmt", names: "Print Println Printf",
		because: "output goes to the streams of command.Env",
	},
}

func TestBans(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, b := range bans {
		names := strings.Fields(b.names)
		atHome := 0
		excused := map[string]bool{}
		for _, p := range all {
			for _, f := range p.files {
				if (f.test || p.support()) && !b.tests {
					continue
				}
				f.uses(b.imp, func(name string, at token.Pos) {
					switch {
					case !slices.Contains(names, name):
					case b.home != "" && p.short() == b.home:
						atHome++
					case b.except[f.name] != "":
						excused[f.name] = true
					default:
						t.Errorf("%s %s with %s.%s: %s", fset.Position(at), b.what, b.imp, name, b.because)
					}
				})
			}
		}
		if b.home != "" && atHome == 0 {
			t.Errorf("%s: nothing %s with %s any more: the rule looks for the wrong names", b.home, b.what, b.imp)
		}
		for name := range b.except {
			if !excused[name] {
				t.Errorf("%s needs no exception any more (%s)", name, b.what)
			}
		}
	}
}

// deciders take data and return decisions.
var deciders = []string{
	"kb/dates", "kb", "doc", "doc/markdown", "doc/merge", "doc/org", "doc/sidecar", "policy", "policy/secrets", "doc/link", "doc/chunk", "kb/safetext", "search/analysis", "search/query", "search/snippet",
}

// A decider that could look at the world would decide differently on the same
// data, and its tables would prove nothing.
func TestDecidersArePure(t *testing.T) {
	t.Parallel()
	all := packages(t)
	impure := []string{"os", "io/fs", "net", "log", "context", "crypto/rand", "runtime", "database", "path/filepath"}
	for _, name := range deciders {
		p := find(all, name)
		if p == nil {
			t.Errorf("%s is gone: take it out of deciders", name)
			continue
		}
		for _, imp := range standard(p) {
			if imp == "net/url" {
				continue // parses text
			}
			for _, bad := range impure {
				if imp == bad || strings.HasPrefix(imp, bad+"/") {
					t.Errorf("%s imports %s: it is to decide on what it is given", name, imp)
				}
			}
		}
	}
}
