package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// repository makes one whose program is small, and says its version.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":            "module example.com/small\n\ngo 1.26\n",
		"CHANGELOG.md":      "# Changelog\n",
		"LICENSE":           "A licence.\n",
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
	if err := os.CopyFS(filepath.Join(dir, "vscode"), os.DirFS("../../vscode")); err != nil {
		t.Fatal(err)
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
	o := options{repository: repository(t), version: "v1.2.3", out: dist, targets: host + ",windows/arm64,darwin/arm64", channels: everyone, url: "https://example.org/r"}
	var said bytes.Buffer
	if err := run(o, &said); err != nil {
		t.Fatal(err)
	}
	program := strings.Join([]string{"cairn", runtime.GOOS, runtime.GOARCH, "full"}, "-")
	text, err := os.ReadFile(filepath.Join(dist, "manifest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{program, program + ".sha256", "cairn-windows-arm64-slim.exe", "cairn.spdx.json", "CHANGELOG.md", "install.sh", "cairn.rb", "cairn.json", "flake.nix", "cairn.vsix"} {
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

// Files of package managers name the programs by their sums.
func TestPackages(t *testing.T) {
	t.Parallel()
	dist := filepath.Join(t.TempDir(), "dist")
	o := options{repository: repository(t), version: "v1.2.3", out: dist, targets: "linux/amd64,darwin/arm64,windows/amd64", channels: "full", url: "https://example.org/r/"}
	if err := run(o, io.Discard); err != nil {
		t.Fatal(err)
	}
	read := func(file string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dist, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for file, of := range map[string]string{"cairn.rb": "cairn-darwin-arm64-full", "cairn.json": "cairn-windows-amd64-full.exe", "flake.nix": "cairn-linux-amd64-full"} {
		sum, _, _ := strings.Cut(read(of+".sha256"), " ")
		if text := read(file); !strings.Contains(text, sum) || !strings.Contains(text, "https://example.org/r/"+of) || !strings.Contains(text, "1.2.3") || strings.Contains(text, "v1.2.3") {
			t.Errorf("%s:\n%s", file, text)
		}
	}
	var manifest struct {
		Architecture map[string]struct{ Hash string }
		Bin          string
	}
	if err := json.Unmarshal([]byte(read("cairn.json")), &manifest); err != nil || manifest.Bin != "cairn.exe" || len(manifest.Architecture) != 1 {
		t.Errorf("%+v, %v", manifest, err)
	}
	if !strings.Contains(read("Containerfile"), "COPY --chmod=755 cairn-linux-${TARGETARCH}-full ") {
		t.Error("the container file copies another program")
	}
	for _, want := range []string{"\nUSER nonroot:nonroot\nENV HOME=/home/nonroot\nVOLUME [\"/home/nonroot\"]\n", `licenses="Apache-2.0"`} {
		if !strings.Contains(read("Containerfile"), want) {
			t.Errorf("the container file lacks %q", want)
		}
	}
	lint(t, filepath.Join(dist, "Containerfile"))
	deb := filepath.Join(dist, "cairn_1.2.3_amd64.deb")
	before := read("cairn_1.2.3_amd64.deb")
	if err := o.debian("1.2.3", "amd64"); err != nil || read("cairn_1.2.3_amd64.deb") != before {
		t.Errorf("two packages of one program differ (%v)", err)
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg is not installed")
	}
	if _, err := exec.LookPath("lintian"); err == nil {
		if out, err := exec.Command("lintian", "--allow-root", "--fail-on", "error", deb).CombinedOutput(); err != nil {
			t.Errorf("lintian: %v\n%s", err, out)
		}
	}
	to := t.TempDir()
	for _, args := range [][]string{{"--info", deb}, {"--contents", deb}, {"--extract", deb, to}} {
		if out, err := exec.Command("dpkg-deb", args...).CombinedOutput(); err != nil {
			t.Fatalf("dpkg-deb %v: %v\n%s", args, err, out)
		}
	}
	out, err := exec.Command("dpkg-deb", "--field", deb, "Package", "Version", "Architecture").Output()
	if want := "Package: cairn\nVersion: 1.2.3\nArchitecture: amd64\n"; err != nil || string(out) != want {
		t.Errorf("%s, %v", out, err)
	}
	got, err := os.ReadFile(filepath.Join(to, "usr/bin/cairn"))
	if err != nil || string(got) != read("cairn-linux-amd64-full") {
		t.Errorf("the package has another program (%v)", err)
	}
}

// lint has a linter of container files look at one, where it can be installed.
func lint(t *testing.T, file string) {
	t.Helper()
	venv := filepath.Join(t.TempDir(), "venv")
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute) // the registry may not answer
	defer stop()
	for _, args := range [][]string{{"python3", "-m", "venv", venv}, {filepath.Join(venv, "bin", "pip"), "install", "-q", "dockerfile-doctor==0.1.5"}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.WaitDelay = time.Second // for the pipes of what it started
		if out, err := cmd.CombinedOutput(); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			t.Logf("no linter of container files: %v", err)
			return
		}
	}
	linter := exec.CommandContext(ctx, filepath.Join(venv, "bin", "dockerfile-doctor"), "--no-color", "--ignore", "DD012", file) // a server over stdio has no health check
	if out, err := linter.CombinedOutput(); err != nil || !strings.Contains(string(out), "No issues") {
		t.Errorf("%v\n%s", err, out)
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
