package peers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// lacking ends a test that lacks something of its surroundings. In CI nothing
// may lack.
func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// installTime bounds how long another run's installation is waited for.
const installTime = 5 * time.Minute

// installed returns a directory in which the packages that testdata/NAME/packages
// lists are installed, by a function that is called where they are not yet.
func installed(t *testing.T, name string, install func(dir string) error) string {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join("testdata", name, "packages", "*"))
	if err != nil || len(lists) == 0 {
		t.Fatalf("testdata/%s lists no packages: %v", name, err)
	}
	slices.Sort(lists)
	files := map[string][]byte{}
	sum := sha256.New()
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(list)] = text
		sum.Write(text)
	}
	base := os.Getenv("CAIRN_PEERS")
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			lacking(t, "there is no directory for caches, and CAIRN_PEERS is not set: %v", err)
		}
		base = filepath.Join(cache, "cairn-peers")
	}
	dir := filepath.Join(base, name+"-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	unlock, err := fsys.Lock(context.Background(), dir+".lock", installTime)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}()
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	for _, step := range []func() error{
		func() error { return os.RemoveAll(dir) }, // what an interrupted run left
		func() error { return os.MkdirAll(dir, 0o755) },
		func() error {
			for base, text := range files {
				if err := os.WriteFile(filepath.Join(dir, base), text, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
		func() error { return install(dir) },
		func() error { return os.WriteFile(done, nil, 0o644) },
	} {
		if err := step(); err != nil {
			lacking(t, "the packages of testdata/%s cannot be installed: %v", name, err)
		}
	}
	return dir
}

// step runs a command in a directory; its error holds what it printed.
func step(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out[max(0, len(out)-1000):])))
	}
	return nil
}

// node returns client.mjs and the inspector's command line, among the packages
// of testdata/node.
func node(t *testing.T) (client, inspector string) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			lacking(t, "%s is not installed", name)
		}
	}
	dir := installed(t, "node", func(dir string) error {
		return step(dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	})
	text, err := os.ReadFile(filepath.Join("testdata", "node", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	// Where the client stands decides where it looks for packages.
	sum := sha256.Sum256(text)
	client = filepath.Join(dir, "client-"+hex.EncodeToString(sum[:6])+".mjs")
	if err := os.WriteFile(client, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return client, filepath.Join(dir, "node_modules", "@modelcontextprotocol", "inspector-cli", "build", "cli.js")
}

// python returns the interpreter of an environment with the packages of
// testdata/python, and client.py.
func python(t *testing.T) (interpreter, client string) {
	t.Helper()
	interpreter = pythonWith(t, "python")
	client, err := filepath.Abs(filepath.Join("testdata", "python", "client.py"))
	if err != nil {
		t.Fatal(err)
	}
	return interpreter, client
}

// pythonWith returns the interpreter of an environment with the packages that
// testdata/NAME/packages/requirements.txt lists.
func pythonWith(t *testing.T, list string) (interpreter string) {
	t.Helper()
	name, bin := "python3", "bin/python"
	if runtime.GOOS == "windows" {
		name, bin = "python", "Scripts/python.exe"
	}
	if _, err := exec.LookPath(name); err != nil {
		lacking(t, "%s is not installed", name)
	}
	inEnv := func(dir string) string { return filepath.Join(dir, "env", filepath.FromSlash(bin)) }
	return inEnv(installed(t, list, func(dir string) error {
		if err := step(dir, name, "-m", "venv", "env"); err != nil {
			return err
		}
		return step(dir, inEnv(dir), "-m", "pip", "install", "-q", "-r", "requirements.txt")
	}))
}
