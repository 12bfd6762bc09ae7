package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// about is what package managers say of the program.
const (
	about    = "Local memory for AI agents and the people they work with"
	homepage = "https://github.com/cairn-kb/cairn"
	license  = "Apache-2.0"

	// What a Debian package says in addition. The address takes no mail.
	maintainer = "the authors of cairn <cairn-kb@users.noreply.github.com>"
	details    = ` cairn indexes Markdown and Org notes where they are, answers questions about
 them, and lets agents write notes that people can read, review and undo. It
 has an MCP server, keyword and semantic search, and versions of all pages.
`
)

// packaged is the time of all files of packages, so that they are the same for the same program.
var packaged = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// packages writes the files of package managers for the full programs of the release:
// Homebrew, Scoop, Debian, Nix, and a container file. They name the programs at url by their sums.
func (o options) packages() error {
	sums, err := sumsIn(o.out)
	if err != nil {
		return err
	}
	version := strings.TrimPrefix(o.version, "v")
	at := func(file string) string { return strings.TrimSuffix(o.url, "/") + "/" + file }
	files := map[string]string{}
	if text := formula(version, sums, at); text != "" {
		files[name+".rb"] = text
	}
	if text := scoop(version, sums, at); text != "" {
		files[name+".json"] = text
	}
	if text := flake(version, sums, at); text != "" {
		files["flake.nix"] = text
	}
	if sums[fullName("linux", "amd64")] != "" {
		files["Containerfile"] = container(version)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(o.out, file), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if sums[fullName("linux", arch)] == "" {
			continue
		}
		if err := o.debian(version, arch); err != nil {
			return err
		}
	}
	return nil
}

// fullName is the name of the full program for a system.
func fullName(system, arch string) string {
	return strings.Join([]string{name, system, arch, "full"}, "-")
}

// sumsIn returns the sums of the files of a release, without ".exe".
func sumsIn(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	sums := map[string]string{}
	for _, e := range entries {
		sum, bad := sumOf(filepath.Join(dir, e.Name()))
		err = errors.Join(err, bad)
		sums[strings.TrimSuffix(e.Name(), ".exe")] = sum
	}
	return sums, err
}

// formula is a formula of Homebrew; "" without a program for macOS.
func formula(version string, sums map[string]string, at func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "class Cairn < Formula\n  desc %q\n  homepage %q\n  version %q\n  license %q\n", about, homepage, version, license)
	found := false
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		part := ""
		for _, arch := range [][2]string{{"amd64", "intel"}, {"arm64", "arm"}} {
			file := fullName(system[0], arch[0])
			if sums[file] == "" {
				continue
			}
			found = found || system[0] == "darwin"
			part += fmt.Sprintf("    on_%s do\n      url %q, using: :nounzip\n      sha256 %q\n    end\n", arch[1], at(file), sums[file])
		}
		if part != "" {
			fmt.Fprintf(&b, "\n  on_%s do\n%s  end\n", system[1], part)
		}
	}
	if !found {
		return ""
	}
	b.WriteString(`
  def install
    bin.install Dir["cairn-*"].first => "cairn"
    generate_completions_from_executable(bin/"cairn", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/cairn version")
  end
end
`)
	return b.String()
}

// scoop is a manifest of Scoop; "" without a program for Windows.
func scoop(version string, sums map[string]string, at func(string) string) string {
	var parts []string
	for _, arch := range [][2]string{{"amd64", "64bit"}, {"arm64", "arm64"}} {
		file := fullName("windows", arch[0])
		if sums[file] == "" {
			continue
		}
		parts = append(parts, fmt.Sprintf("    %q: {\n      \"url\": %q,\n      \"hash\": %q\n    }", arch[1], at(file+".exe")+"#/cairn.exe", sums[file]))
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("{\n  \"version\": %q,\n  \"description\": %q,\n  \"homepage\": %q,\n  \"license\": %q,\n  \"architecture\": {\n%s\n  },\n  \"bin\": \"cairn.exe\"\n}\n",
		version, about, homepage, license, strings.Join(parts, ",\n"))
}

// flake is a flake of Nix; "" without a program for Linux.
func flake(version string, sums map[string]string, at func(string) string) string {
	var parts strings.Builder
	for _, s := range [][3]string{{"x86_64-linux", "linux", "amd64"}, {"aarch64-linux", "linux", "arm64"}, {"x86_64-darwin", "darwin", "amd64"}, {"aarch64-darwin", "darwin", "arm64"}} {
		if file := fullName(s[1], s[2]); sums[file] != "" {
			fmt.Fprintf(&parts, "        %s = { url = %q; sha256 = %q; };\n", s[0], at(file), sums[file])
		}
	}
	if parts.Len() == 0 {
		return ""
	}
	return fmt.Sprintf(`{
  description = %q;
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      programs = {
%s      };
      build = system: source:
        let pkgs = nixpkgs.legacyPackages.${system}; in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "cairn";
          version = %q;
          src = pkgs.fetchurl source;
          dontUnpack = true;
          installPhase = "install -Dm755 $src $out/bin/cairn";
          meta = { homepage = %q; license = pkgs.lib.licenses.asl20; mainProgram = "cairn"; };
        };
    in {
      packages = builtins.mapAttrs (system: source: { default = build system source; }) programs;
    };
}
`, about, parts.String(), version, homepage)
}

// container is a container file, which is built in the directory of the release. The volume is the
// home of the user, which belongs to it: a new directory would belong to root, and no memory could
// be made there.
func container(version string) string {
	return fmt.Sprintf(`FROM gcr.io/distroless/static-debian12:nonroot
ARG TARGETARCH=amd64
LABEL org.opencontainers.image.title=%q \
      org.opencontainers.image.description=%q \
      org.opencontainers.image.version=%q \
      org.opencontainers.image.source=%q \
      org.opencontainers.image.licenses=%q
COPY --chmod=755 cairn-linux-${TARGETARCH}-full /usr/local/bin/cairn
USER nonroot:nonroot
ENV HOME=/home/nonroot
VOLUME ["/home/nonroot"]
ENTRYPOINT ["/usr/local/bin/cairn"]
CMD ["mcp"]
`, name, about, version, homepage, license)
}

// debian writes a Debian package. It is the same for the same program.
func (o options) debian(version, arch string) error {
	data, err := os.ReadFile(filepath.Join(o.out, fullName("linux", arch)))
	if err != nil {
		return err
	}
	copyright := "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: cairn\nSource: " + homepage + "\n\nFiles: *\nCopyright: 2026 the authors of cairn\nLicense: " + license + "\n On Debian systems the licence is in /usr/share/common-licenses/Apache-2.0.\n"
	of := strings.ReplaceAll(version, "-", "~")
	control := fmt.Sprintf("Package: cairn\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSection: utils\nPriority: optional\nHomepage: %s\nDescription: %s\n%s",
		of, arch, maintainer, (len(data)+1023)/1024, homepage, about, details)
	changes, err := compress([]byte(fmt.Sprintf("cairn (%s) unstable; urgency=medium\n\n  * Release %s: %s\n\n -- %s  %s\n", of, version, homepage, maintainer, packaged.Format(time.RFC1123Z))))
	if err != nil {
		return err
	}
	overrides := "# A program of Go without the C library, so that it runs on every system.\ncairn: statically-linked-binary [usr/bin/cairn]\n"
	meta, err := archive([]member{{"./control", 0o644, []byte(control)}})
	if err != nil {
		return err
	}
	files, err := archive([]member{
		{"./usr/", 0o755, nil}, {"./usr/bin/", 0o755, nil}, {"./usr/bin/cairn", 0o755, data},
		{"./usr/share/", 0o755, nil}, {"./usr/share/doc/", 0o755, nil}, {"./usr/share/doc/cairn/", 0o755, nil},
		{"./usr/share/doc/cairn/changelog.gz", 0o644, changes}, {"./usr/share/doc/cairn/copyright", 0o644, []byte(copyright)},
		{"./usr/share/lintian/", 0o755, nil}, {"./usr/share/lintian/overrides/", 0o755, nil}, {"./usr/share/lintian/overrides/cairn", 0o644, []byte(overrides)},
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range []member{{"debian-binary", 0, []byte("2.0\n")}, {"control.tar.gz", 0, meta}, {"data.tar.gz", 0, files}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.name, 0, 0, 0, "100644", len(m.data))
		b.Write(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return os.WriteFile(filepath.Join(o.out, fmt.Sprintf("%s_%s_%s.deb", name, version, arch)), b.Bytes(), 0o644)
}

// member is a file of an archive, or a directory where its name ends in a slash.
type member struct {
	name string
	mode int64
	data []byte
}

// archive is a compressed archive of files of root, all of one time.
func archive(members []member) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: m.mode, Size: int64(len(m.data)), ModTime: packaged, Format: tar.FormatGNU, Uname: "root", Gname: "root"}
		if h.Typeflag = tar.TypeReg; strings.HasSuffix(m.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(m.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return compress(b.Bytes())
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(data)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}
