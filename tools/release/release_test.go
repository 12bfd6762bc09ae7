package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// repository makes one whose program is small, and says its version.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":            "module example.com/small\n\ngo 1.26\n",
		"CHANGELOG.md":      "# Changelog\n",
		"cmd/cairn/main.go": "package main\n\nvar version string\n\nfunc main() { println(version + \" \" + channel) }\n",
		"cmd/cairn/full.go": "//go:build !slim\n\npackage main\n\nconst channel = \"full\"\n",
		"cmd/cairn/slim.go": "//go:build slim\n\npackage main\n\nconst channel = \"slim\"\n",
	} {
		name := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTwoBuildsAreEqual(t *testing.T) {
	t.Parallel()
	o := options{repository: repository(t), version: "v1.2.3", out: filepath.Join(t.TempDir(), "dist"), targets: runtime.GOOS + "/" + runtime.GOARCH, channels: "slim", twice: true}
	if err := run(o, io.Discard); err != nil {
		t.Fatal(err)
	}
}

// A release has every file that it names, and a machine that has nothing installs from its
// directory with one command.
func TestRelease(t *testing.T) {
	t.Parallel()
	dist := filepath.Join(t.TempDir(), "dist")
	host := runtime.GOOS + "/" + runtime.GOARCH
	o := options{repository: repository(t), version: "v1.2.3", out: dist, targets: host + ",windows/arm64", channels: everyone}
	var said bytes.Buffer
	if err := run(o, &said); err != nil {
		t.Fatal(err)
	}
	program := strings.Join([]string{"cairn", runtime.GOOS, runtime.GOARCH, "full"}, "-")
	text, err := os.ReadFile(filepath.Join(dist, "manifest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{program, program + ".sha256", "cairn-windows-arm64-slim.exe", "cairn.spdx.json", "CHANGELOG.md", "install.sh"} {
		if !strings.Contains(string(text), "  "+want+"\n") {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	install := func(args ...string) (string, error) {
		c := exec.Command("sh", append([]string{filepath.Join(dist, "install.sh")}, args...)...)
		c.Env = []string{"HOME=" + filepath.Join(dist, "home"), "PATH=" + os.Getenv("PATH")}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := install(); err != nil || !strings.Contains(out, "v1.2.3 full") || !strings.Contains(out, "not in PATH") {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := install("slim"); err != nil || !strings.Contains(out, "v1.2.3 slim") {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := install("tiny"); err == nil || !strings.Contains(out, "error: ") {
		t.Errorf("%s, %v", out, err)
	}
	f, err := os.OpenFile(filepath.Join(dist, program), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := install(); err == nil || !strings.Contains(out, "nothing was installed") {
		t.Errorf("a program that was changed: %s, %v", out, err)
	}
	if err := run(o, &said); err == nil {
		t.Error("a release was built over another one")
	}
	o.version = ""
	if err := run(o, &said); err == nil {
		t.Error("a release was built without a version")
	}
}

// The multilingual model is in a release if its programs take it.
func TestReleaseWithModel(t *testing.T) {
	t.Parallel()
	const sum = "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4" // of "model"
	model := filepath.Join(t.TempDir(), "multilingual-e5-small.pack")
	if err := os.WriteFile(model, []byte("model"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options{repository: repository(t), version: "v1.2.3", targets: runtime.GOOS + "/" + runtime.GOARCH, channels: "slim", model: model}
	known := filepath.Join(o.repository, "internal/search/embed/packed/known.go")
	if err := os.MkdirAll(filepath.Dir(known), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"package packed // " + sum + "\n": true, "package packed\n": false} {
		if err := os.WriteFile(known, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		o.out = filepath.Join(t.TempDir(), "dist")
		err := run(o, io.Discard)
		got, read := os.ReadFile(filepath.Join(o.out, "manifest.txt"))
		if has := read == nil && bytes.Contains(got, []byte(sum+"  multilingual-e5-small.pack\n")); has != want || (err == nil) != want {
			t.Errorf("source %q: %v, manifest %s", text, err, got)
		}
	}
}

// What needs a library is no program of a release.
func TestStatic(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("of Linux")
	}
	if err := static("/bin/sh"); err == nil {
		t.Error("a program of another language passes")
	}
}
