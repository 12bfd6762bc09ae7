package space

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
)

// The policy says where new pages go, and how their files are called.
func TestNewPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pol         policy.Policy
		title, want string
	}{
		{policy.Policy{}, "The Slow Loom: a tale", "the-slow-loom-a-tale.md"},
		{policy.Policy{Folder: "inbox"}, "The Slow Loom", "inbox/the-slow-loom.md"},
		{policy.Policy{Folder: "in/box", Names: policy.ByTitle}, "AC/DC: the \"Slow\" Loom?", "in/box/AC-DC - the Slow Loom.md"},
		{policy.Policy{Names: policy.ByTitle}, "...", "untitled.md"},
		{policy.Policy{Folder: "pages", Names: policy.ByTitle, Syntax: "logseq"}, "work/web: a site", "pages/work___web - a site.md"},
		{policy.Policy{Folder: "vault", Syntax: "dendron"}, "work/web", "vault/work-web.md"},
		{policy.Policy{Names: policy.ByTitle}, "con", "con-note.md"},
		{policy.Policy{Secrets: policy.Secrets{Action: policy.Redact}}, "x password: Tr0ub4dor&3xK9z and pw: Wq29LmRt7xbb", "x-password-redacted-and-pw-redacted.md"},
		{policy.Policy{Secrets: policy.Secrets{Action: policy.Redact}}, "The Slow Loom", "the-slow-loom.md"},
	} {
		pol := tc.pol
		if got := NewPath(&write.Space{Policy: &pol}, tc.title, ".md"); got != tc.want {
			t.Errorf("%q goes to %s, want %s", tc.title, got, tc.want)
		}
	}
}

// A name without a path is that of a page in the folder, where all pages lie in one.
func TestNamedPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "journals/old"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := fsys.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tc := range []struct {
		pol        policy.Policy
		name, want string
	}{
		{policy.Policy{Folder: "in"}, "a/b", "a/b"},
		{policy.Policy{Folder: "pages", Syntax: "logseq"}, "a/b", "pages/a___b"},
		{policy.Policy{Folder: "pages", Syntax: "logseq"}, "a", "pages/a"},
		{policy.Policy{Folder: "pages", Syntax: "logseq"}, "journals/old/x", "journals/old/x"},
		{policy.Policy{Folder: "vault", Syntax: "dendron"}, "a.b/c", "vault/a.b.c"},
		{policy.Policy{Syntax: "dendron"}, "a.b", "a.b"},
	} {
		pol := tc.pol
		if got := NamedPath(&write.Space{Policy: &pol, Files: files}, tc.name); got != tc.want {
			t.Errorf("%q goes to %s, want %s", tc.name, got, tc.want)
		}
	}
}

// The program that keeps a directory is told by its configuration.
func TestFlavour(t *testing.T) {
	t.Parallel()
	const plain = "preset = \"notes\"\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":             {map[string]string{"a.md": ""}, plain},
		"obsidian":         {map[string]string{".obsidian/app.json": "{}"}, plain},
		"foam":             {map[string]string{".foam/x": "", ".vscode/settings.json": "{}"}, plain},
		"logseq":           {map[string]string{"logseq/config.edn": "{;; :pages-directory \"no\"\n}"}, plain + "syntax = \"logseq\"\nfolder = \"pages\"\nnames = \"title\"\n"},
		"logseq, set":      {map[string]string{"logseq/config.edn": "{:pages-directory \"notes\"}"}, plain + "syntax = \"logseq\"\nfolder = \"notes\"\nnames = \"title\"\n"},
		"logseq, days":     {map[string]string{"logseq/config.edn": "{:journal/page-title-format \"EEEE, dd.MM.yyyy\"}"}, plain + "syntax = \"logseq\"\nfolder = \"pages\"\nnames = \"title\"\ndays = \"EEEE, dd.MM.yyyy\"\n"},
		"logseq, as usual": {map[string]string{"logseq/config.edn": "{:journal/page-title-format \"MMM do, yyyy\"}"}, plain + "syntax = \"logseq\"\nfolder = \"pages\"\nnames = \"title\"\n"},
		"logseq, outside":  {map[string]string{"logseq/config.edn": "{:pages-directory \"../notes\"}"}, plain + "syntax = \"logseq\"\nfolder = \"pages\"\nnames = \"title\"\n"},
		"dendron":          {map[string]string{"dendron.yml": "vaults:\n  - fsPath: 'main'\n  - fsPath: b\n", "main/root.md": ""}, plain + "syntax = \"dendron\"\nfolder = \"main\"\n"},
		"dendron, self":    {map[string]string{"dendron.yml": "  - fsPath: .\n    selfContained: true\n", "notes/root.md": ""}, plain + "syntax = \"dendron\"\nfolder = \"notes\"\n"},
		"dendron's vault":  {map[string]string{"root.schema.yml": "", "root.md": ""}, plain + "syntax = \"dendron\"\n"},
		"dendron, damaged": {map[string]string{"dendron.code-workspace": "{", "x/root.md": ""}, plain + "syntax = \"dendron\"\n"},
		"dendron, outside": {map[string]string{"dendron.yml": "fsPath: ../../etc\n"}, plain + "syntax = \"dendron\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			files, err := fsys.OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := files.Close(); err != nil {
					t.Error(err)
				}
			}()
			got, err := withFlavour(context.Background(), files, []byte(plain))
			if err != nil || string(got) != tc.want {
				t.Errorf("%q, want %q: %v", got, tc.want, err)
			}
		})
	}
}
