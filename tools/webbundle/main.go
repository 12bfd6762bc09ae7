// Command webbundle builds the scripts that have packages of others in them: those that the
// web UI loads on some pages (formulas, diagrams, the editor), and the extension for VS Code.
// It writes them compressed, with the licences of what is in them. The versions are those of
// package-lock.json; two builds are equal.
//
//	npm ci --ignore-scripts
//	go run .
//	go run . -check
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Where the scripts go: those of the web UI, and the extension for VS Code.
const (
	assets = "../../internal/surface/webui/assets"
	vscode = "../../vscode"
)

// bundles are the entry points, with how they are loaded and where they go.
var bundles = []struct {
	entry, to string
	format    api.Format
}{
	{"math.js", assets, api.FormatESModule},
	{"diagram.js", assets, api.FormatIIFE},
	{"editor.js", assets, api.FormatESModule},
	{vscode + "/extension.js", vscode, api.FormatCommonJS},
}

// allowed are the licences under which a package may be in a bundle.
var allowed = []string{"MIT", "ISC", "BSD-3-Clause", "BSD-2-Clause", "Apache-2.0", "0BSD", "Unlicense", "(MPL-2.0 OR Apache-2.0)"}

// undeclared are the licences of packages that have only its text.
var undeclared = map[string]string{"khroma": "MIT"}

func main() {
	check := flag.Bool("check", false, "write nothing, and fail where an asset is not what would be built")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	packages := map[string]map[string][]string{assets: {}, vscode: {}} // by where they go: directory → bundles
	out := map[string][]byte{}
	for _, b := range bundles {
		text, inputs, err := bundle(b.entry, b.format)
		if err != nil {
			return err
		}
		name := filepath.Base(b.entry)
		out[filepath.Join(b.to, name)] = text
		for _, dir := range inputs {
			packages[b.to][dir] = append(packages[b.to][dir], name)
		}
	}
	style, err := mathStyle()
	if err != nil {
		return err
	}
	out[filepath.Join(assets, "math.css")] = style
	for to, what := range map[string]string{
		assets: "The scripts math.js, diagram.js and editor.js, and math.css, consist of these packages.",
		vscode: "The script extension.js has these packages in it.",
	} {
		if out[filepath.Join(to, "licences.txt")], err = licences(what, packages[to]); err != nil {
			return err
		}
	}
	for path, text := range out {
		if err := put(path+".gz", text, check); err != nil {
			return err
		}
	}
	return nil
}

// bundle builds one script, and returns it with the directories of the packages in it.
func bundle(entry string, format api.Format) (text []byte, packages []string, _ error) {
	options := api.BuildOptions{
		EntryPoints: []string{entry}, Bundle: true, Metafile: true, Format: format, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		Alias: map[string]string{"katex": "./katex.js"}, NodePaths: []string{"node_modules"},
	}
	if format == api.FormatCommonJS { // runs in Node, within VS Code
		options.Platform, options.External = api.PlatformNode, []string{"vscode"}
	}
	built := api.Build(options)
	for _, e := range built.Errors {
		return nil, nil, fmt.Errorf("%s: %s", entry, e.Text)
	}
	var meta struct {
		Inputs map[string]struct{}
	}
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, nil, err
	}
	for path := range meta.Inputs {
		at := strings.LastIndex(path, "node_modules/")
		if at < 0 {
			continue
		}
		parts := strings.SplitN(path[at+len("node_modules/"):], "/", 3)
		dir := path[:at] + "node_modules/" + parts[0]
		if strings.HasPrefix(parts[0], "@") {
			dir += "/" + parts[1]
		}
		if !slices.Contains(packages, dir) {
			packages = append(packages, dir)
		}
	}
	return built.OutputFiles[0].Contents, packages, nil
}

// unused are the parts of the style sheet of formulas that load something: a font for script
// letters, which systems have, and the arrow of \cancelto.
var unused = regexp.MustCompile(`(?s:@font-face \{.*?\})|(?m:^\s*(?:-webkit-)?mask-image: url\([^\n]*$)`)

// mathStyle is the style sheet of formulas.
func mathStyle() ([]byte, error) {
	text, err := os.ReadFile("node_modules/temml/dist/Temml-Local.css")
	if err != nil {
		return nil, err
	}
	built := api.Transform(unused.ReplaceAllString(string(text), ""), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, Charset: api.CharsetUTF8})
	for _, e := range built.Errors {
		return nil, fmt.Errorf("math.css: %s", e.Text)
	}
	if bytes.Contains(built.Code, []byte("url(")) {
		return nil, errors.New("math.css loads something")
	}
	return built.Code, nil
}

// licences lists the packages with their licences, each text once, below a sentence.
func licences(what string, packages map[string][]string) ([]byte, error) {
	byText := map[string][]string{}
	for dir, in := range packages {
		var about struct {
			Name, Version, License string
		}
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		about.License = cmp.Or(about.License, undeclared[about.Name])
		if !slices.Contains(allowed, about.License) {
			return nil, fmt.Errorf("%s %s has the licence %q", about.Name, about.Version, about.License)
		}
		notice, err := notice(dir)
		if err != nil {
			return nil, err
		}
		slices.Sort(in)
		byText[notice] = append(byText[notice], fmt.Sprintf("%s %s (%s), in %s", about.Name, about.Version, about.License, strings.Join(in, ", ")))
	}
	var parts []string
	for notice, of := range byText {
		slices.Sort(of)
		parts = append(parts, strings.Join(of, "\n")+"\n\n"+notice+"\n")
	}
	slices.Sort(parts)
	return []byte(what + "\n\n" + strings.Join(parts, "\n"+strings.Repeat("-", 72)+"\n\n")), nil
}

// notice is the text of the licence of a package.
func notice(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if name := strings.ToLower(e.Name()); strings.HasPrefix(name, "license") || strings.HasPrefix(name, "licence") {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), err
		}
	}
	return "(The package has no text of its licence.)", nil
}

// put writes a compressed file. One that has the text already stays as it is.
func put(path string, text []byte, check bool) error {
	was, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if now, err := unpack(was); err == nil && bytes.Equal(now, text) {
			return nil
		}
	}
	if check {
		return fmt.Errorf("%s is not what this builds: run npm ci --ignore-scripts and go run . in tools/webbundle", path)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d compressed, sha256 %x\n", filepath.Base(path), len(text), b.Len(), sha256.Sum256(text))
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func unpack(text []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
