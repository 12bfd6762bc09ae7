package peers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
)

// cairn runs a command of the user's and returns what it prints.
func (u user) cairn(t *testing.T, args ...string) (out string, ok bool) {
	t.Helper()
	cmd := u.command(cairntest.Binary(t), args...)
	cmd.Stderr = t.Output()
	text, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(text), err == nil
}

// checked is what setup --check says of a client.
type checked struct {
	Client, Scope, Error, Remedy string
	OK                           bool
	Tools                        []string
}

func (u user) check(t *testing.T, args ...string) (all []checked, ok bool) {
	t.Helper()
	out, ok := u.cairn(t, append([]string{"setup", "--check", "--json"}, args...)...)
	var list struct{ Items []checked }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return list.Items, ok
}

// What setup writes starts, in the form of every kind of client, as it was
// asked to serve; what cannot start is told with its client.
func TestSetupCheck(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	bin := cairntest.Binary(t)
	names := []string{"claude-code", "codex", "opencode", "vscode"}
	u.cairn(t, append([]string{"setup", "--command", bin, "--read-only"}, names...)...)
	all, ok := u.check(t)
	if !ok || len(all) != len(names) {
		t.Fatalf("%v %+v", ok, all)
	}
	for _, c := range all {
		if !c.OK || !slices.Contains(c.Tools, "recall") || slices.Contains(c.Tools, "remember") {
			t.Errorf("%+v", c)
		}
	}
	path := filepath.Join(u.home, ".codex", "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for old, fresh := range map[string]string{`"mcp"`: `"version"`, filepath.Base(bin) + `"`: `nothing-there"`} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, fresh, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{nil, {"codex"}} {
			all, ok := u.check(t, args...)
			i := slices.IndexFunc(all, func(c checked) bool { return !c.OK })
			if ok || i < 0 || all[i].Client != "codex" || all[i].Error == "" || all[i].Remedy == "" || len(args) == 1 && len(all) != 1 {
				t.Errorf("with %s: %v %+v", fresh, ok, all)
			}
		}
	}
	if all, ok := u.check(t, "zed"); ok || len(all) != 1 || all[0].Error == "" {
		t.Errorf("%v %+v", ok, all)
	}
}
