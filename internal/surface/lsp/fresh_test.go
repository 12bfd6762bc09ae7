package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/memory/write"
)

// writeFile changes a file of the space as another program does.
func (e *editor) writeFile(name, text string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.root, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// A closed file that changed since it was indexed is edited as it is on disk.
func TestRenameInFilesThatChanged(t *testing.T) {
	t.Parallel()
	ada := "# Ada\n\n## The letters\n"
	e := newEditor(t, map[string]string{"ada.md": ada, "b.md": "See [[ada#The letters]].\n", "c.md": "Nothing.\n"}, movesFiles)
	e.synced()
	e.open("ada.md", "")
	e.diagnostics("ada.md", func([]string) bool { return true })
	e.writeFile("b.md", "# B\n\nA line of a pull.\n\nSee [[ada#The letters]].\n")
	e.writeFile("c.md", "[[ada#The letters|x]]\n")
	got := e.applied(e.rename(e.at("ada.md", "# Ada\n\n## The¦"), "Her mail"), map[string]string{"ada.md": ada})
	want := map[string]string{
		"ada.md": "# Ada\n\n## Her mail\n",
		"b.md":   "# B\n\nA line of a pull.\n\nSee [[ada#Her mail]].\n",
		"c.md":   "[[ada#Her mail|x]]\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Files that came without a notification are known once one of them is opened.
func TestOpeningReadsTheDirectory(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"a.md": "# A\n"}, nil)
	e.synced()
	e.open("a.md", "")
	e.diagnostics("a.md", func([]string) bool { return true })
	e.writeFile("new.md", "# New\n")
	e.writeFile("b.md", "[[New]]\n")
	e.open("b.md", "")
	e.diagnostics("b.md", func(found []string) bool { return len(found) == 0 })
	var got *location
	e.call("textDocument/definition", e.at("b.md", "[[N¦"), &got)
	if got == nil || e.name(*got) != "new.md:0:0" {
		t.Errorf("%+v", got)
	}
}

// A document that is closed and opened again has its diagnostics again.
func TestDiagnosticsOfADocumentOpenedAgain(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"a.md": "[[Nobody]]\n"}, nil)
	e.synced()
	one := func(found []string) bool { return len(found) == 1 }
	e.open("a.md", "")
	e.diagnostics("a.md", one)
	e.notify("textDocument/didClose", object{"textDocument": object{"uri": e.uri("a.md")}})
	e.open("a.md", "")
	e.diagnostics("a.md", one)
}

// A closed file that changed and cannot be indexed is not edited.
func TestRenameIsRefusedWhereAFileIsNotAsIndexed(t *testing.T) {
	t.Parallel()
	ada := "# Ada\n\n## The letters\n"
	e := newEditor(t, map[string]string{"ada.md": ada, "b.md": "See [[ada#The letters]].\n"}, movesFiles)
	e.synced()
	e.open("ada.md", "")
	if err := os.Truncate(filepath.Join(e.root, "b.md"), write.MaxDocument+1); err != nil { // too large to be read
		t.Fatal(err)
	}
	at := e.at("ada.md", "# Ada\n\n## The¦")
	at["newName"] = "Her mail"
	if a := e.try("textDocument/rename", at); a.Error == nil || !strings.Contains(a.Error.Message, "b.md changed since it was indexed") {
		t.Errorf("%s %+v", a.Result, a.Error)
	}
}
