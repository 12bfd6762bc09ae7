package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The package has what VS Code reads of it, and two of one version are equal.
func TestVSIX(t *testing.T) {
	t.Parallel()
	o := options{repository: repository(t), version: "v1.2.3", out: t.TempDir()}
	pack := func() []byte {
		t.Helper()
		if err := o.vsix(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(o.out, "cairn.vsix"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := pack()
	if !bytes.Equal(text, pack()) {
		t.Error("two packages of one version differ")
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		t.Helper()
		b, err := fs.ReadFile(z, name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var types struct {
		Default []struct {
			Extension string `xml:",attr"`
		}
	}
	if err := xml.Unmarshal(read("[Content_Types].xml"), &types); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{".xml": true} // is not listed
	for _, d := range types.Default {
		known[d.Extension] = true
	}
	for _, f := range z.File {
		if !known[path.Ext(f.Name)] {
			t.Errorf("%s has no content type", f.Name)
		}
	}
	var manifest struct {
		Metadata struct {
			Identity struct {
				ID        string `xml:"Id,attr"`
				Version   string `xml:",attr"`
				Publisher string `xml:",attr"`
			}
			Tags string
		}
		Assets struct {
			Asset []struct {
				Path string `xml:",attr"`
			}
		}
	}
	if err := xml.Unmarshal(read("extension.vsixmanifest"), &manifest); err != nil {
		t.Fatal(err)
	}
	if id := manifest.Metadata.Identity; id.ID != "cairn" || id.Version != "1.2.3" || id.Publisher != "cairn-kb" || !strings.HasPrefix(manifest.Metadata.Tags, "markdown,org,") {
		t.Errorf("%+v", manifest.Metadata)
	}
	for _, a := range manifest.Assets.Asset {
		read(a.Path)
	}
	var about struct {
		Version, Main string
		Contributes   struct {
			Configuration struct {
				Properties map[string]struct{ Scope string }
			}
		}
	}
	if err := json.Unmarshal(read("extension/package.json"), &about); err != nil {
		t.Fatal(err)
	}
	if about.Version != "1.2.3" {
		t.Errorf("package.json has the version %s", about.Version)
	}
	if scope := about.Contributes.Configuration.Properties["cairn.path"].Scope; scope != "machine" {
		t.Errorf("a workspace says which program runs: the scope of cairn.path is %q", scope)
	}
	if script := read(path.Join("extension", about.Main)); !bytes.Contains(script, []byte(`require("vscode")`)) {
		t.Error("the script is no extension")
	}
	if !bytes.Contains(read("extension/licences.txt"), []byte("vscode-languageclient 9.")) {
		t.Error("the licence of a part is not in the package")
	}
}

// A build between releases has a package that VS Code takes.
func TestVSIXWithoutVersion(t *testing.T) {
	t.Parallel()
	o := options{repository: repository(t), version: "1a2b3c-dirty", out: t.TempDir()}
	if err := o.vsix(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(o.out, "cairn.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := fs.ReadFile(z, "extension.vsixmanifest")
	if err != nil || !bytes.Contains(text, []byte(`Version="0.0.0"`)) {
		t.Errorf("%s, %v", text, err)
	}
}
