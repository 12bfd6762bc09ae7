package space_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// strict is a policy that refuses something by each kind of rule.
const strict = `
format = "markdown"
schema = [{ paths = ["people/**"], required = ["born"] }]

[[permissions.rule]]
effect = "deny"
actors = ["agent:*"]
paths = ["rules/**"]
operations = ["create", "write", "append", "edit", "move", "delete"]

[[permissions.rule]]
effect = "deny"
actors = ["agent:*"]
operations = ["append", "edit"]
when = { owner = ["ada"] }

[[permissions.rule]]
effect = "deny"
actors = ["agent:*"]
paths = ["people/**"]
operations = ["delete"]

[timeline]
append_only = true

[secrets]
rule = [{ id = "loom", kind = "loom number", token = ["LOOM-[0-9]{6}"] }]
`

const ada = "---\ntitle: Ada\nborn: 1815\n---\n# Ada\n\nText.\n\n---\n\n- **2026-01-02** | meeting: the evidence\n"

// strictFiles are the files of a directory with that policy.
func strictFiles() map[string]string {
	return map[string]string{
		".cairn/space.toml": strict, ".cairnignore": "/left/\n",
		"rules/r.md": "# R\n", "people/ada.md": ada, "mine/own.md": "---\nowner: ada\n---\n# Own\n",
		"left/people/ada.md": ada, "open/o.md": "# O\n", "evidence/e.md": ada,
	}
}

// A file has the rules of every space that holds it, whichever of them a write names.
func TestOneFileHasOneSetOfRules(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("docs/notes", strictFiles())
	a := b.Open()
	add := func(dir, name string) {
		t.Helper()
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: name}))(t)
	}
	add(root, "notes")
	add(filepath.Dir(root), "above")
	for _, dir := range []string{"rules", "people", "mine", "left", "open"} {
		add(filepath.Join(root, dir), dir)
	}
	agent := a.As(kb.AgentNamed("robot"))
	edit := func(ref string, e doc.Edit) error {
		_, err := change.EditPage(t.Context(), agent, change.EditRequest{Ref: ref, Edits: []doc.Edit{e}})
		return err
	}
	put := func(ref, text string) error {
		_, err := change.Put(t.Context(), agent, change.PutRequest{Ref: ref, Text: []byte(text)})
		return err
	}
	move := func(ref, to string) error {
		_, err := change.Move(t.Context(), agent, change.MoveRequest{Ref: ref, To: to})
		return err
	}
	more := doc.Append{Text: "more"}
	remove := func(ref string) error {
		_, err := change.Delete(t.Context(), agent, change.DeleteRequest{Ref: ref})
		return err
	}
	for _, tc := range []struct {
		what string
		err  error
		code kb.Code // "" where the agent may
	}{
		{"append in a space inside", edit("rules:r", more), kb.Refused},
		{"append in the space above", edit("above:notes/rules/r", more), kb.Refused},
		{"create in a space inside", put("rules:new.md", "# New\n"), kb.Refused},
		{"create in the space above", put("above:notes/rules/new.md", "# New\n"), kb.Refused},
		{"a condition, inside", edit("mine:own", more), kb.Refused},
		{"a condition, above", edit("above:notes/mine/own", more), kb.Refused},
		{"evidence, inside", edit("people:ada", doc.Replace{Old: "the evidence", New: "nothing"}), kb.Refused},
		{"evidence, above", edit("above:notes/people/ada", doc.Replace{Old: "the evidence", New: "nothing"}), kb.Refused},
		{"schema, inside", edit("people:ada", doc.RemoveProperty{Key: "born"}), kb.Invalid},
		{"schema, above", edit("above:notes/people/ada", doc.RemoveProperty{Key: "born"}), kb.Invalid},
		{"a credential, inside", edit("people:ada", doc.Append{Section: "Ada", Text: "LOOM-123456"}), kb.Secret},
		{"a credential, above", edit("above:notes/people/ada", doc.Append{Section: "Ada", Text: "LOOM-123456"}), kb.Secret},
		{"a move that leaves the space", move("above:notes/people/ada", "ada"), kb.Refused},
		{"a move to where nothing may be made", move("above:notes/open/o", "notes/rules/o"), kb.Refused},
		{"a file that the space leaves out", edit("left:people/ada", doc.Replace{Old: "the evidence", New: "nothing"}), ""},
		{"a page that may be changed, inside", edit("open:o", more), ""},
		{"a page that may be changed, above", edit("above:notes/open/o", more), ""},
		{"a page with evidence is deleted", remove("above:notes/evidence/e"), ""},
		{"and made again", put("above:notes/evidence/e.md", "# E\n"), kb.Refused},
		{"a page that fits", edit("people:ada", doc.Replace{Old: "Text.", New: "More text."}), ""},
	} {
		if kb.CodeOf(tc.err) != tc.code {
			t.Errorf("%s: %v", tc.what, tc.err)
		} else if tc.err != nil && (!strings.Contains(tc.err.Error(), "the space notes") || kb.AsError(tc.err).Details["space"] != "notes") {
			t.Errorf("%s: the space is not named: %v", tc.what, tc.err)
		}
	}
}

// A file of a space of which the rules cannot be read is not written through another one.
func TestUnreadableRulesRefuse(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", strictFiles())
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Name: "notes"}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: filepath.Join(root, "open"), Name: "open"}))(t)
	if err := os.WriteFile(filepath.Join(root, ".cairn", "space.toml"), []byte("nonsense ="), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, actor := range []kb.Actor{{Kind: kb.Human}, kb.AgentNamed("robot")} {
		_, err := change.Put(t.Context(), a.As(actor), change.PutRequest{Ref: "open:new.md", Text: []byte("# New\n")})
		if kb.CodeOf(err) != kb.Refused || !strings.Contains(err.Error(), "the rules of the space notes") {
			t.Errorf("%s: %v", actor, err)
		}
	}
}

// The rules of a space around another hold as a person accepted them last, in a process that
// has both open.
func TestRulesAroundAsAcceptedLast(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("outer", map[string]string{".cairn/space.toml": "[permissions]\ndefault = \"deny\"\n", "in/a.md": "# A\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: filepath.Join(root, "in"), Name: "in"}))(t)
	put := func() error {
		_, err := change.Put(t.Context(), a.In("in").As(kb.Actor{Kind: kb.Agent, Name: "x"}), change.PutRequest{Ref: "p", Text: []byte("Text.\n"), Overwrite: true})
		return err
	}
	if err := put(); kb.CodeOf(err) != kb.Refused {
		t.Fatalf("an accepted rule: %v", err)
	}
	b.Dir("outer", map[string]string{".cairn/space.toml": "format = \"markdown\"\n"})
	if err := put(); kb.CodeOf(err) != kb.Refused {
		t.Errorf("loosened from outside: %v", err)
	}
	apptest.Accept(t, a, "outer")
	if err := put(); err != nil {
		t.Errorf("loosened and accepted: %v", err)
	}
}
