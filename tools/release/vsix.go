package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// semantic is a version as VS Code takes it.
var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)

// contentTypes says what the files of the package are, by their extensions.
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".vsixmanifest" ContentType="text/xml"/><Default Extension=".js" ContentType="application/javascript"/><Default Extension=".md" ContentType="text/markdown"/><Default Extension=".txt" ContentType="text/plain"/></Types>
`

// vsixManifest repeats package.json for programs that do not read it.
var vsixManifest = template.Must(template.New("").Funcs(template.FuncMap{"xml": func(text string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(text))
	return b.String(), err
}}).Parse(`<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{{xml .Name}}" Version="{{xml .Version}}" Publisher="{{xml .Publisher}}"/>
    <DisplayName>{{xml .DisplayName}}</DisplayName>
    <Description xml:space="preserve">{{xml .Description}}</Description>
    <Tags>{{xml .Keywords.String}}</Tags>
    <Categories>{{xml .Categories.String}}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{{xml .Engines.VSCode}}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="{{xml .Homepage}}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`))

// vsix writes the extension for VS Code with the version of the release. Two are equal.
func (o options) vsix() error {
	dir := filepath.Join(o.repository, "vscode")
	about, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return err
	}
	var p struct {
		Name, DisplayName, Description, Version, Publisher, Homepage string
		Categories, Keywords                                         list
		Engines                                                      struct{ VSCode string }
	}
	if err := json.Unmarshal(about, &p); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if version := strings.TrimPrefix(o.version, "v"); semantic.MatchString(version) { // a build between releases may have none
		about = bytes.Replace(about, []byte(`"version": "`+p.Version+`"`), []byte(`"version": "`+version+`"`), 1)
		p.Version = version
	}
	var manifest bytes.Buffer
	if err := vsixManifest.Execute(&manifest, p); err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(o.repository, "LICENSE"))
	if err != nil {
		return err
	}
	script, err := unpacked(filepath.Join(dir, "extension.js.gz"))
	if err != nil {
		return err
	}
	others, err := unpacked(filepath.Join(dir, "licences.txt.gz"))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"extension.vsixmanifest", manifest.Bytes()},
		{"[Content_Types].xml", []byte(contentTypes)},
		{"extension/package.json", about},
		{"extension/README.md", readme},
		{"extension/LICENSE.txt", licence},
		{"extension/extension.js", script},
		{"extension/licences.txt", others},
	} {
		part, err := w.Create(f.name) // without a time
		if err != nil {
			return err
		}
		if _, err := part.Write(f.text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, name+".vsix"), out.Bytes(), 0o644)
}

// list is texts that a manifest has in one.
type list []string

func (l list) String() string { return strings.Join(l, ",") }

// unpacked reads a compressed file.
func unpacked(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	text, err := io.ReadAll(r)
	return text, errors.Join(err, r.Close())
}
