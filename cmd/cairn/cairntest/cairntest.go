package cairntest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	_ "github.com/cairn-kb/cairn/internal/surface/cli"
	_ "github.com/cairn-kb/cairn/internal/surface/httpapi"
	_ "github.com/cairn-kb/cairn/internal/surface/mcpserver"
)

// dir is where the binary is built.
var dir string

// Main is the body of a TestMain: it runs the tests with a directory for the
// binary, and returns the exit code.
func Main(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "cairn-bin-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	heard()
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// heard makes tests deliver the signals that the test runner ignores (because
// it runs in the background or under nohup). A child process inherits an
// ignored signal, but not a handled one.
func heard() {
	for _, sig := range []os.Signal{os.Interrupt, syscall.Signal(1)} { // 1 is SIGHUP
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

var build = sync.OnceValues(func() (string, error) {
	name := filepath.Join(dir, "cairn")
	// Without symbols, which takes a third of the time.
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", name, "github.com/cairn-kb/cairn/cmd/cairn")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// Binary returns the path of the binary.
func Binary(t testing.TB) string {
	t.Helper()
	name, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return name
}
