package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// editorVault makes a space of two notes in the home of a user.
func editorVault(t *testing.T, u user) (root string) {
	t.Helper()
	root = filepath.Join(u.home, "notes")
	for name, text := range map[string]string{
		"ada.md":     "---\ntitle: Ada Lovelace\n---\n\nShe wrote the first program.\n",
		"babbage.md": "# Babbage\n\n😀 [[Ada Lovelace]] and [[Nobody]]\n",
	} {
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"space", "add", root, "--name", "notes"}, {"sync", "--space", "notes"}} {
		if out, err := u.command(cairntest.Binary(t), args...).CombinedOutput(); err != nil {
			t.Fatalf("cairn %q: %v\n%s", args, err, out)
		}
	}
	return root
}

// edit runs an editor in a directory, and fails unless it prints every text.
func edit(t *testing.T, u user, root string, want []string, program string, args ...string) {
	t.Helper()
	cmd := u.command(program, args...)
	cmd.Dir = root
	cmd.Env = append(cmd.Env, "CAIRN="+cairntest.Binary(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("%s prints no %q:\n%s", program, w, out)
		}
	}
}

// Neovim starts the server, shows its diagnostics, completes, follows a link and renames a page.
func TestNeovim(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Neovim")
	if _, err := exec.LookPath("nvim"); err != nil {
		lacking(t, "nvim is not installed: apt-get install neovim")
	}
	u := newUser(t)
	root := editorVault(t, u)
	script, err := filepath.Abs(filepath.Join("testdata", "lsp.lua"))
	if err != nil {
		t.Fatal(err)
	}
	edit(t, u, root, []string{
		"diagnostic: no page is called Nobody", "definition: ada.md", "hover: **Ada Lovelace**", "complete: Ada Lovelace",
		"symbol: Babbage", "renamed: 😀 [[Ada King]] and [[Nobody]]",
	}, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "babbage.md", "-c", "luafile "+script)
}

// Eglot starts the server, shows its diagnostics, follows a link and renames a page.
func TestEglot(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs")
	if _, err := exec.LookPath("emacs"); err != nil {
		lacking(t, "emacs is not installed: apt-get install emacs-nox elpa-eglot")
	}
	if err := exec.Command("emacs", "--batch", "-f", "package-initialize", "--eval", "(require 'eglot)").Run(); err != nil {
		lacking(t, "eglot is not installed: apt-get install elpa-eglot")
	}
	u := newUser(t)
	root := editorVault(t, u)
	script, err := filepath.Abs(filepath.Join("testdata", "lsp.el"))
	if err != nil {
		t.Fatal(err)
	}
	edit(t, u, root, []string{"no page is called Nobody", "definition: ada.md", "renamed: babbage.md"},
		"emacs", "--batch", "-f", "package-initialize", "-l", script)
}
