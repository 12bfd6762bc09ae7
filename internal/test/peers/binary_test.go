package peers

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
)

func TestMain(m *testing.M) { os.Exit(cairntest.Main(m)) }

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
