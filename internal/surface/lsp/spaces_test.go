package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// space attaches another directory, and returns it.
func (e *editor) space(name string, files map[string]string) string {
	e.t.Helper()
	root := e.bed.Dir(name, files)
	apptest.OK(gitsync.AddSpace(e.t.Context(), e.sess, space.AddRequest{Root: root, Name: name, Preset: "notes"}))(e.t)
	e.synced()
	return root
}

// The page that a link to another space names is made there.
func TestCreateInTheSpaceOfTheLink(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"a.md": "[[other:Missing]] [[notes:sub/new]] [[sub/x]] [[re: plan]]\n"}, nil)
	other := e.space("other", map[string]string{"b.md": "# B\n"})
	e.open("a.md", "")
	e.diagnostics("a.md", func(found []string) bool { return len(found) == 4 })
	for _, name := range []string{"other:Missing", "notes:sub/new", "sub/x", "re: plan"} {
		e.call("workspace/executeCommand", object{"command": "cairn.createPage", "arguments": []any{e.uri("a.md"), name}}, nil)
	}
	e.diagnostics("a.md", func(found []string) bool { return len(found) == 0 })
	for root, names := range map[string][]string{e.root: {"sub/new.md", "sub/x.md", "re-plan.md"}, other: {"missing.md"}} {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Error(err)
			}
		}
	}
}

// The server renames where an open text of another space has a link, and is saved.
func TestRenameByTheServerAcrossSpaces(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ada.md": "---\ntitle: Ada\n---\n"}, nil)
	other := e.space("other", map[string]string{"far.md": "[[notes:Ada]]\n"})
	e.open("ada.md", "")
	far := "../other/far.md"
	rename := func() answer {
		at := e.at("ada.md", "---\ntitle: A¦")
		at["newName"] = "Ada King"
		return e.try("textDocument/rename", at)
	}
	e.open(far, "[[notes:Ada]] not saved\n")
	if a := rename(); a.Error == nil || !strings.Contains(a.Error.Message, "save far.md first") {
		t.Errorf("%s %+v", a.Result, a.Error)
	}
	e.open(far, "")
	if a := rename(); a.Error != nil || string(a.Result) != "null" {
		t.Errorf("%s %+v", a.Result, a.Error)
	}
	if text, err := os.ReadFile(filepath.Join(other, "far.md")); err != nil || !strings.Contains(string(text), "notes:ada-king") {
		t.Errorf("%s %v", text, err)
	}
}
