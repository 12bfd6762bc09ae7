package write_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
)

// life makes relations act.
var life = policy.Lifecycle{
	Effects: map[string]policy.LinkEffect{"supersedes": policy.MakesStale, "contradicts": policy.Conflicts},
	Transitions: map[kb.Status][]kb.Status{
		kb.Active: {kb.Stale}, kb.Stale: {kb.Active, kb.Compacted},
	},
}

// eachSpace runs a test in a space of each kind, whose relations act.
func eachSpace(t *testing.T, test func(t *testing.T, m *writetest.Memory, s *write.Space, ext string)) {
	for _, ext := range []string{".md", ".org"} {
		for _, kind := range []string{"directory", "database"} {
			t.Run(kind+ext, func(t *testing.T) {
				m := writetest.New(t)
				var files fsys.FS
				if kind == "directory" {
					files = m.Files(nil)
				}
				s := m.Space("notes", files)
				s.Policy.Lifecycle = life
				test(t, m, s, ext)
			})
		}
	}
}

func supersede(target string) write.Edit {
	return write.Edit{Edits: []doc.Edit{doc.AddRelation{Type: "supersedes", Target: target}}}
}

// A page that another one replaces is stale from the write that says so until the
// write that ends the last relation which does, and one undo takes all of it back.
func TestSupersedingActsInItsWrite(t *testing.T) {
	t.Parallel()
	eachSpace(t, func(t *testing.T, m *writetest.Memory, s *write.Space, ext string) {
		is := func(name, status, reason string) {
			t.Helper()
			p := m.Pages(s)[name+ext]
			if string(p.Status) != status {
				t.Errorf("%s is %s, want %s", name, p.Status, status)
			}
			if text := strings.ToLower(m.Bytes(p)); strings.Contains(text, "stale_reason") != (reason != "") || !strings.Contains(text, reason) {
				t.Errorf("%s says\n%s, want the reason %q", name, text, reason)
			}
		}
		do := func(name string, a write.Action) *write.Result {
			t.Helper()
			return m.Apply(request(write.Change{Space: s, Path: name + ext, Action: a}))
		}
		text := func(body string) write.Put {
			if ext == ".org" {
				body = "#+title: " + strings.Replace(body, "\n", "\n\n", 1)
			} else {
				body = "# " + strings.Replace(body, "\n", "\n\n", 1)
			}
			return write.Put{Bytes: []byte(body), Overwrite: true}
		}
		do("old", text("Old\nFirst.\n"))
		do("new", text("New\nSecond.\n"))
		do("other", text("Other\nThird.\n"))

		r := do("new", supersede("old"))
		if len(r.Pages) != 2 || len(r.Pages[1].Notes) != 1 || r.Pages[1].Notes[0] != "stale: superseded by new" {
			t.Errorf("the write says %+v", r.Pages)
		}
		is("old", "stale", "superseded by new")

		do("other", text("Other\nThird.\n\n- Supersedes [[old]]\n"))
		is("old", "stale", "superseded by new") // it has its reason
		do("new", write.Edit{Edits: []doc.Edit{doc.RemoveRelation{Type: "supersedes", Target: "old"}}})
		is("old", "stale", "superseded by other")
		do("other", write.Delete{})
		is("old", "active", "")

		do("new", supersede("old"))
		do("new", write.Edit{Edits: []doc.Edit{doc.CloseRelation{Type: "supersedes", Target: "old", Until: "2020"}}})
		is("old", "active", "")
		do("third", text("Third\n- supersedes [[old]]\n"))
		is("old", "stale", "superseded by third")
		do("third", write.Move{To: "moved" + ext})
		is("old", "stale", "superseded by third")
		do("old", write.Move{To: "sub/old" + ext})
		is("sub/old", "stale", "superseded by third")

		// A page that was reviewed since is not made stale by what is older, whatever
		// becomes of that.
		do("fourth", text("Fourth\n- supersedes [[old]]\n"))
		do("sub/old", write.Edit{Edits: []doc.Edit{
			doc.SetProperty{Key: "status", Value: "active"}, doc.RemoveProperty{Key: "stale_reason"},
		}})
		do("fourth", write.Delete{})
		is("sub/old", "active", "")
		do("fourth", text("Fourth\n- supersedes [[old]]\n"))
		is("sub/old", "stale", "superseded by fourth")

		// A compacted page, or one that somebody made stale, stays what it is.
		for _, status := range []string{"stale", "compacted"} {
			do("by-hand", text("By hand\nText.\n"))
			do("by-hand", write.Edit{Edits: []doc.Edit{doc.SetProperty{Key: "status", Value: "stale"}}})
			if status == "compacted" {
				do("by-hand", write.Edit{Edits: []doc.Edit{doc.SetProperty{Key: "status", Value: status}}})
			}
			do("x", text("X\n- supersedes [[by-hand]]\n"))
			is("by-hand", status, "")
			do("x", write.Delete{})
			is("by-hand", status, "")
			do("by-hand", write.Delete{})
		}
	})
}

// No page replaces itself, directly or by way of others, and a write that would make
// it so changes nothing.
func TestSupersedingInACircleIsRefused(t *testing.T) {
	t.Parallel()
	eachSpace(t, func(t *testing.T, m *writetest.Memory, s *write.Space, ext string) {
		for _, name := range []string{"a", "b", "c"} {
			m.Apply(request(put(s, name+ext, name+"\n")))
		}
		link := func(from, to string) write.Request {
			return request(write.Change{Space: s, Path: from + ext, Action: supersede(to)})
		}
		m.Apply(link("a", "b"))
		m.Apply(link("b", "c"))
		for from, to := range map[string]string{"c": "a", "b": "a", "a": "a"} {
			if _, err := m.Writer.Apply(t.Context(), link(from, to)); kb.CodeOf(err) != kb.Invalid {
				t.Errorf("%s supersedes %s: %v", from, to, err)
			}
		}
		// One write may turn the order round.
		m.Apply(request(
			write.Change{Space: s, Path: "a" + ext, Action: write.Edit{Edits: []doc.Edit{doc.RemoveRelation{Type: "supersedes", Target: "b"}}}},
			write.Change{Space: s, Path: "c" + ext, Action: supersede("a")},
		))
		for name, want := range map[string]kb.Status{"a": kb.Stale, "b": kb.Active, "c": kb.Stale} {
			if got := m.Pages(s)[name+ext].Status; got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
	})
}

// A status changes only as the policy lets it, whatever write brings it, and the error
// says what is allowed.
func TestTransitionsAreRefused(t *testing.T) {
	t.Parallel()
	eachSpace(t, func(t *testing.T, m *writetest.Memory, s *write.Space, ext string) {
		set := func(status string) error {
			_, err := m.Writer.Apply(t.Context(), request(write.Change{
				Space: s, Path: "a" + ext, Action: write.Edit{Edits: []doc.Edit{doc.SetProperty{Key: "status", Value: status}}},
			}))
			return err
		}
		m.Apply(request(put(s, "a"+ext, "a\n")))
		for _, step := range []struct {
			to   string
			code kb.Code
		}{
			{"compacted", kb.Invalid}, {"contested", kb.Invalid}, {"active", ""}, {"stale", ""}, {"active", ""}, {"stale", ""},
			{"superseded", kb.Invalid}, {"compacted", ""}, {"active", kb.Invalid}, {"stale", kb.Invalid},
		} {
			err := set(step.to)
			if kb.CodeOf(err) != step.code {
				t.Errorf("to %s: %v, want %q", step.to, err, step.code)
			}
			if step.to == "superseded" && !strings.Contains(kb.AsError(err).Hint, "active or compacted") {
				t.Errorf("the hint says %q", kb.AsError(err).Hint)
			}
		}
	})
}

// Whoever may not write a page cannot make it stale.
func TestSupersedingAsksThePolicy(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("notes", m.Files(nil))
	s.Policy.Lifecycle.Effects = map[string]policy.LinkEffect{"supersedes": policy.MakesStale}
	m.Apply(request(put(s, "rules/old.md", "# Old\n"), put(s, "new.md", "# New\n")))
	s.Policy.Permissions.Rules = []policy.Rule{{Effect: policy.Deny, Operations: []policy.Operation{policy.OpEdit}, Paths: []string{"rules/**"}}}
	_, err := m.Writer.Apply(t.Context(), request(write.Change{Space: s, Path: "new.md", Action: supersede("Old")}))
	if kb.CodeOf(err) != kb.Refused {
		t.Errorf("%v", err)
	}
}
