// Command release builds the files of a release. See README.md.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed install.sh
var installer []byte

// name is what programs of a release begin with.
const name = "cairn"

// everything is built where nothing else is asked for.
const (
	everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"
	everyone   = "full,slim"
)

type options struct {
	repository, version, out string
	url                      string
	targets, channels        string
	model                    string
	twice, changelog         bool
}

func main() {
	var o options
	flag.StringVar(&o.repository, "repository", "../..", "the `directory` of the repository")
	flag.StringVar(&o.version, "version", "", "what the programs say that they are")
	flag.StringVar(&o.out, "out", "../../dist", "the `directory` of the release, which must be empty or not there")
	flag.StringVar(&o.targets, "targets", everywhere, "`systems` and architectures")
	flag.StringVar(&o.channels, "channels", everyone, "full, slim or both")
	flag.StringVar(&o.model, "model", "", "the `file` of the multilingual model, which .ci/multilingual makes; none when empty")
	flag.StringVar(&o.url, "url", "", "the `address` of the directory of the release, which package managers read (default: that of the version on GitHub)")
	flag.BoolVar(&o.twice, "twice", false, "build again and compare")
	flag.BoolVar(&o.changelog, "changelog", false, "build nothing; move changelog/unreleased into CHANGELOG.md")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run builds a release.
func run(o options, say io.Writer) error {
	if o.version == "" {
		return errors.New("a release has a version: -version v0.1.0")
	}
	if o.changelog {
		return cutChangelog(o.repository, o.version)
	}
	if o.url == "" {
		o.url = homepage + "/releases/download/" + o.version
	}
	if entries, err := os.ReadDir(o.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", o.out)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	var programs []string // their files
	for target := range strings.SplitSeq(o.targets, ",") {
		for channel := range strings.SplitSeq(o.channels, ",") {
			file, err := o.compile(target, channel, say)
			if err != nil {
				return err
			}
			programs = append(programs, file)
		}
	}
	parts, err := sbom(o.version, programs[0])
	if err != nil {
		return err
	}
	changes, _, err := changelog(o.repository, o.version)
	if err != nil {
		return err
	}
	if o.model != "" {
		if err := o.multilingual(say); err != nil {
			return err
		}
	}
	for file, text := range map[string][]byte{name + ".spdx.json": parts, "CHANGELOG.md": changes, "install.sh": installer} {
		if err := os.WriteFile(filepath.Join(o.out, file), text, 0o644); err != nil {
			return err
		}
	}
	if err := o.packages(); err != nil {
		return err
	}
	if err := o.vsix(); err != nil {
		return err
	}
	return manifest(o.out)
}

// compile builds one program, looks into it, and writes its sum.
func (o options) compile(target, channel string, say io.Writer) (string, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok || channel != "full" && channel != "slim" {
		return "", fmt.Errorf("%s, %s: no such target and channel", target, channel)
	}
	file := filepath.Join(o.out, strings.Join([]string{name, system, arch, channel}, "-"))
	if system == "windows" {
		file += ".exe"
	}
	if err := o.build(system, arch, channel, file, nil); err != nil {
		return "", err
	}
	if err := static(file); err != nil {
		return "", err
	}
	sum, err := sumOf(file)
	if err != nil {
		return "", err
	}
	if o.twice {
		again := file + ".again"
		if err := o.build(system, arch, channel, again, []string{"-a"}); err != nil { // all of it, not what the first build left
			return "", err
		}
		other, err := sumOf(again)
		if err := errors.Join(err, os.Remove(again)); err != nil {
			return "", err
		}
		if sum != other {
			return "", fmt.Errorf("%s: two builds differ: %s and %s", file, sum, other)
		}
	}
	fmt.Fprintf(say, "%s  %s\n", sum, filepath.Base(file))
	return file, os.WriteFile(file+".sha256", []byte(sum+"  "+filepath.Base(file)+"\n"), 0o644)
}

// multilingual copies the multilingual model. The programs take no file but the one whose
// sum is in their source.
func (o options) multilingual(say io.Writer) error {
	data, err := os.ReadFile(o.model)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(o.repository, "internal/search/embed/packed/known.go"))
	if err != nil {
		return err
	}
	sum, file := fmt.Sprintf("%x", sha256.Sum256(data)), filepath.Base(o.model)
	if !bytes.Contains(source, []byte(sum)) {
		return fmt.Errorf("%s has the SHA-256 %s, which cairn does not take", o.model, sum)
	}
	fmt.Fprintf(say, "%s  %s\n", sum, file)
	return errors.Join(os.WriteFile(filepath.Join(o.out, file), data, 0o644),
		os.WriteFile(filepath.Join(o.out, file+".sha256"), []byte(sum+"  "+file+"\n"), 0o644))
}

// build runs the compiler. Nothing of this machine gets into the program.
func (o options) build(system, arch, channel, file string, flags []string) error {
	tags := "nethttpomithttp2"
	if channel == "slim" {
		tags += ",slim"
	}
	out, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"build"}, flags, []string{
		"-trimpath", "-buildvcs=false", "-tags", tags, "-ldflags", "-s -w -buildid= -X main.version=" + o.version, "-o", out, "./cmd/cairn",
	})
	c := exec.Command("go", args...)
	c.Dir = o.repository
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s/%s, %s: %w\n%s", system, arch, channel, err, text)
	}
	return nil
}

// static refuses a program for Linux that needs a loader or a library, and any that a C
// compiler had a part in.
func static(file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" && s.Value != "0" {
			return fmt.Errorf("%s: a C compiler had a part in it", file)
		}
	}
	f, err := elf.Open(file)
	if err != nil {
		return nil // of another system
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		return fmt.Errorf("%s: it is not static, it needs %v (%v)", file, libraries, err)
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s: it is not static, it needs a loader", file)
	}
	return nil
}

func sumOf(file string) (string, error) {
	b, err := os.ReadFile(file)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// pkg is a package in the form of SPDX.
type pkg struct {
	ID       string `json:"SPDXID"`
	Name     string `json:"name"`
	Version  string `json:"versionInfo"`
	Location string `json:"downloadLocation"`
	Analyzed bool   `json:"filesAnalyzed"`
	Comment  string `json:"comment,omitempty"`
}

// sbom lists the modules that are in a program. It says nothing of when or where.
func sbom(version, file string) ([]byte, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	packages := []pkg{{ID: "SPDXRef-cairn", Name: info.Main.Path, Version: version, Location: "NOASSERTION", Comment: info.GoVersion}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		packages = append(packages, pkg{
			ID: fmt.Sprintf("SPDXRef-%d", len(packages)), Name: d.Path, Version: d.Version, Location: "NOASSERTION", Comment: d.Sum,
		})
	}
	relations := []map[string]string{{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-cairn"}}
	for _, p := range packages[1:] {
		relations = append(relations, map[string]string{"spdxElementId": "SPDXRef-cairn", "relationshipType": "CONTAINS", "relatedSpdxElement": p.ID})
	}
	return json.MarshalIndent(map[string]any{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "cairn " + version,
		"documentNamespace": "https://spdx.org/spdxdocs/cairn-" + version, "packages": packages, "relationships": relations,
		"creationInfo": map[string]any{"created": "1970-01-01T00:00:00Z", "creators": []string{"Tool: cairn-release"}},
	}, "", " ")
}

// manifest lists the files of a release with their sums.
func manifest(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	slices.SortFunc(entries, func(x, y os.DirEntry) int { return cmp.Compare(x.Name(), y.Name()) })
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "manifest.txt"), b.Bytes(), 0o644)
}
