package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	// What the binary is made from: go test keeps no result that an older one
	// gave.
	_ "github.com/cairn-kb/cairn/internal/cli"
	_ "github.com/cairn-kb/cairn/internal/mcpserver"
)

// binaryDir is where the binary is built, removed by TestMain.
var binaryDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cairn-peers-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaryDir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var buildBinary = sync.OnceValues(func() (string, error) {
	name := filepath.Join(binaryDir, "cairn")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", name, "github.com/cairn-kb/cairn/cmd/cairn")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// binary returns the cairn that users have, built once for all tests.
func binary(t *testing.T) string {
	t.Helper()
	name, err := buildBinary()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// user is somebody with an empty home.
type user struct{ home string }

func newUser(t *testing.T) user {
	t.Helper()
	return user{t.TempDir()}
}

// command is a process of the user's that is not started yet.
func (u user) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = u.home
	cmd.Env = append(os.Environ(), "HOME="+u.home, "USERPROFILE="+u.home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "CAIRN_DB=", "NO_COLOR=1")
	return cmd
}
