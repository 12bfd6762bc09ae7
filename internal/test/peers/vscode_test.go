package peers

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// The extension for VS Code says when the program is not there, starts the server when the
// settings are right, and asks it as VS Code does: the client in it is the one of VS Code, and
// only the window is a stand-in.
func TestVSCode(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Node")
	if _, err := exec.LookPath("node"); err != nil {
		lacking(t, "node is not installed: apt-get install nodejs")
	}
	packed, err := os.ReadFile(filepath.FromSlash("../../../vscode/extension.js.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(t.TempDir(), "extension.js")
	if err := os.WriteFile(bundle, script, 0o644); err != nil {
		t.Fatal(err)
	}
	drive, err := filepath.Abs(filepath.Join("testdata", "vscode", "drive.js"))
	if err != nil {
		t.Fatal(err)
	}
	u := newUser(t)
	root := editorVault(t, u)
	edit(t, u, root, []string{
		" | cairn does not start: Launching server using command /nowhere/cairn failed", "diagnostic: no page is called Nobody", "hints: true", "definition: ada.md", "hover: **Ada Lovelace**",
		"complete: Ada Lovelace", "lens: 1 backlink", "shows: editor.action.showReferences babbage.md", "commands left: 0",
	}, "node", drive, bundle, cairntest.Binary(t), filepath.Join(root, "babbage.md"))
}
