package write_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

var human = kb.Actor{Kind: kb.Human}

func put(s *write.Space, path, text string) write.Change {
	return write.Change{Space: s, Path: path, Action: write.Put{Bytes: []byte(text)}}
}

func edit(s *write.Space, path string, edits ...doc.Edit) write.Change {
	return write.Change{Space: s, Path: path, Action: write.Edit{Edits: edits}}
}

func request(changes ...write.Change) write.Request {
	return write.Request{Actor: human, Operation: "test", Changes: changes}
}

// eachKind runs a test over a directory space and a database space: the same
// bytes must come of both.
func eachKind(t *testing.T, f func(t *testing.T, m *writetest.Memory, s *write.Space)) {
	t.Run("directory", func(t *testing.T) {
		m := writetest.New(t)
		f(t, m, m.Space("notes", m.Files(nil)))
	})
	t.Run("database", func(t *testing.T) {
		m := writetest.New(t)
		f(t, m, m.Space("memory", nil))
	})
}

func TestLifeOfAPage(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		res := m.Apply(request(put(s, "a.md", "# One\n")))
		if p := res.Pages[0]; p.Change != kb.Created || p.Version != 1 || res.Write.ID == 0 {
			t.Errorf("put: %+v", p)
		}
		res = m.Apply(request(edit(s, "a.md", doc.Append{Text: "two\n"})))
		if p := res.Pages[0]; p.Change != kb.Changed || p.Version != 2 {
			t.Errorf("edit: %+v", p)
		}
		m.Apply(request(write.Change{Space: s, Path: "a.md", Action: write.Move{To: "b/c.md"}}))
		page := m.Pages(s)["b/c.md"]
		if !strings.Contains(m.Bytes(page), "id: "+string(page.ID)) {
			t.Errorf("a move must pin the id: %q", m.Bytes(page))
		}
		if page.ID != res.Pages[0].Page.ID {
			t.Error("the id did not follow the move")
		}
		m.Apply(request(write.Change{Space: s, Path: "b/c.md", Action: write.Delete{}}))
		if len(m.Pages(s)) != 0 {
			t.Error("the page is still there")
		}
		var kinds []kb.ChangeKind
		for _, v := range m.Versions(s, page.ID) {
			kinds = append(kinds, v.Change)
		}
		want := []kb.ChangeKind{kb.Deleted, kb.Moved, kb.Changed, kb.Created}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Error(diff)
		}
		if s.Files != nil {
			if _, err := s.Files.Lstat("b/c.md"); err == nil {
				t.Error("the file is still there")
			}
		}
		if m.Pending() != 0 {
			t.Error("the journal is not clear")
		}
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	n := func(n int) *int { return &n }
	for _, tc := range []struct {
		name     string
		exists   bool
		expected *int
		action   write.Action
		want     kb.Code
		current  any
	}{
		{"new page", false, nil, write.Put{Bytes: []byte("x")}, "", nil},
		{"new page, expected absent", false, n(0), write.Put{Bytes: []byte("x")}, "", nil},
		{"new page, expected a version", false, n(7), write.Put{Bytes: []byte("x")}, kb.Conflict, 0},
		{"existing page, no word", true, nil, write.Put{Bytes: []byte("x")}, kb.Conflict, 1},
		{"existing page, overwrite", true, nil, write.Put{Bytes: []byte("x"), Overwrite: true}, "", nil},
		{"existing page, right version", true, n(1), write.Put{Bytes: []byte("x")}, "", nil},
		{"existing page, wrong version and overwrite", true, n(3), write.Put{Bytes: []byte("x"), Overwrite: true}, kb.Conflict, 1},
		{"existing page, expected absent", true, n(0), write.Put{Bytes: []byte("x")}, kb.Conflict, 1},
		{"edit, stale", true, n(9), write.Edit{Edits: []doc.Edit{doc.Append{Text: "y"}}}, kb.Conflict, 1},
		{"move, stale", true, n(9), write.Move{To: "z.md"}, kb.Conflict, 1},
		{"delete, stale", true, n(9), write.Delete{}, kb.Conflict, 1},
		{"delete, right version", true, n(1), write.Delete{}, "", nil},
		{"edit of nothing", false, nil, write.Edit{Edits: []doc.Edit{doc.Append{Text: "y"}}}, kb.NotFound, nil},
		{"delete of nothing", false, nil, write.Delete{}, kb.NotFound, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				if tc.exists {
					m.Apply(request(put(s, "a.md", "old\n")))
				}
				_, err := m.Writer.Apply(context.Background(), request(write.Change{Space: s, Path: "a.md", Expected: tc.expected, Action: tc.action}))
				if got := kb.CodeOf(err); got != tc.want {
					t.Fatalf("got %v, want code %q", err, tc.want)
				}
				if tc.current != nil && kb.AsError(err).Details["current_version"] != tc.current {
					t.Errorf("details %v", kb.AsError(err).Details)
				}
				if tc.want == kb.Conflict && tc.exists && m.Bytes(m.Pages(s)["a.md"]) != "old\n" {
					t.Error("a refused write changed the page")
				}
			})
		})
	}
}

func TestOutsideEditIsSeenFirst(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(nil)
	s := m.Space("notes", files)
	m.Apply(request(put(s, "a.md", "mine\n")))
	if err := files.Remove("a.md"); err != nil {
		t.Fatal(err)
	}
	fsystest.Put(t, files, "a.md", "an editor's\n")

	one := 1
	_, err := m.Writer.Apply(context.Background(), request(write.Change{Space: s, Path: "a.md", Expected: &one, Action: write.Put{Bytes: []byte("mine again\n")}}))
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["current_version"] != 2 {
		t.Fatalf("got %v", err)
	}
	m.Apply(request(edit(s, "a.md", doc.Append{Text: "more\n"})))
	page := m.Pages(s)["a.md"]
	if got, want := m.Bytes(page), "an editor's\n\nmore\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if v := m.Versions(s, page.ID); len(v) != 3 || v[1].Actor.Kind != kb.Sync {
		t.Errorf("history %+v", v)
	}
}

// Whoever expects no page is told that there is one, not that it changed.
func TestExpectedNoPage(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "x\n")))
		none := 0
		_, err := m.Writer.Apply(t.Context(), request(write.Change{Space: s, Path: "a.md", Expected: &none, Action: write.Put{Bytes: []byte("y\n")}}))
		if kb.CodeOf(err) != kb.Conflict || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("writing a page anew answers %v", err)
		}
	})
}

// A page that came to a path after somebody looked who is there is not taken for
// the one that was.
func TestAnotherPageAtThePath(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "one\n")))
		meant := m.Pages(s)["a.md"].ID
		m.Apply(request(write.Change{Space: s, Path: "a.md", Action: write.Move{To: "b.md"}}))
		m.Apply(request(put(s, "a.md", "two\n")))
		for _, act := range []write.Action{
			write.Edit{Edits: []doc.Edit{doc.Append{Text: "y"}}}, write.Put{Bytes: []byte("y\n"), Overwrite: true},
			write.Move{To: "c.md"}, write.Delete{},
		} {
			_, err := m.Writer.Apply(t.Context(), request(write.Change{Space: s, Path: "a.md", Of: meant, Action: act}))
			if kb.CodeOf(err) != kb.Conflict || !strings.HasSuffix(m.Bytes(m.Pages(s)["a.md"]), "---\n\ntwo\n") {
				t.Errorf("%T: %v", act, err)
			}
		}
		m.Apply(request(write.Change{Space: s, Path: "b.md", Of: meant, Action: write.Delete{}}))
	})
}

func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "old\n")))
		before := m.Pages(s)
		for _, c := range []write.Change{
			put(s, "new.md", "x\n"), edit(s, "a.md", doc.Append{Text: "y"}),
			{Space: s, Path: "a.md", Action: write.Move{To: "b.md"}}, {Space: s, Path: "a.md", Action: write.Delete{}},
		} {
			req := request(c)
			req.DryRun = true
			res := m.Apply(req)
			if res.Write.ID != 0 || res.Pages[0].Change == "" {
				t.Errorf("%T: %+v", c.Action, res)
			}
		}
		if diff := cmp.Diff(before, m.Pages(s)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNoChangeIsNoWrite(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "same\n")))
		res := m.Apply(request(write.Change{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte("same\n"), Overwrite: true}}))
		if res.Write.ID != 0 || res.Pages[0].Change != "" || res.Pages[0].Version != 1 {
			t.Errorf("%+v", res)
		}
	})
}

func TestPolicyRefuses(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		pol, err := policy.Parse([]byte(`
[[permissions.rule]]
effect = "allow"
operations = ["append"]

[[permissions.rule]]
effect = "deny"
actors = ["agent"]
paths = ["identity/**"]
reason = "identity belongs to its owner"

[[schema]]
types = ["decision"]
required = ["date"]
`))
		if err != nil {
			t.Fatal(err)
		}
		s.Policy = pol
		m.Apply(request(put(s, "identity/me.md", "I\n"), put(s, "free.md", "[[me]]\n")))
		agent := kb.Actor{Kind: kb.Agent, Name: "x"}
		for _, tc := range []struct {
			name   string
			change write.Change
			want   kb.Code
		}{
			{"create", put(s, "identity/other.md", "x"), kb.Refused},
			{"overwrite", write.Change{Space: s, Path: "identity/me.md", Action: write.Put{Bytes: []byte("x"), Overwrite: true}}, kb.Refused},
			{"edit", edit(s, "identity/me.md", doc.SetTitle{Title: "x"}), kb.Refused},
			{"append", edit(s, "identity/me.md", doc.Append{Text: "more\n"}), ""},
			{"move away", write.Change{Space: s, Path: "identity/me.md", Action: write.Move{To: "me.md"}}, kb.Refused},
			{"move into", write.Change{Space: s, Path: "free.md", Action: write.Move{To: "identity/free.md"}}, kb.Refused},
			{"delete", write.Change{Space: s, Path: "identity/me.md", Action: write.Delete{}}, kb.Refused},
			{"schema", put(s, "d.md", "---\ntype: decision\n---\n"), kb.Invalid},
			{"schema kept", put(s, "d.md", "---\ntype: decision\ndate: 2026-01-01\n---\n"), ""},
		} {
			req := request(tc.change)
			req.Actor = agent
			before := m.Pages(s)
			_, err := m.Writer.Apply(context.Background(), req)
			if got := kb.CodeOf(err); got != tc.want {
				t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
			}
			if tc.want != "" {
				if diff := cmp.Diff(before, m.Pages(s)); diff != "" {
					t.Errorf("%s: %s", tc.name, diff)
				}
			}
		}
	})
}

// A page of the user's stays where it is: an agent that may not change it may not take it
// to a place where it may, nor delete it.
func TestPagesOfTheUserStay(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "mine/plan.md", "Plan\n"), put(s, "free/note.md", "Note\n"), put(s, "free/own.md", "---\nowner: user\n---\nOwn\n")))
		s.Policy.Ownership = policy.Ownership{User: []string{"user"}, Paths: []string{"mine/**"}, Asked: "user asked"}
		at := func(path string, a write.Action) write.Change { return write.Change{Space: s, Path: path, Action: a} }
		for _, tc := range []struct {
			name, message string
			change        write.Change
			want          kb.Code
		}{
			{"edit", "", edit(s, "mine/plan.md", doc.Append{Text: "more\n"}), kb.Refused},
			{"move away", "", at("mine/plan.md", write.Move{To: "free/plan.md"}), kb.Refused},
			{"move within", "", at("mine/plan.md", write.Move{To: "mine/plans.md"}), kb.Refused},
			{"move into", "", at("free/note.md", write.Move{To: "mine/note.md"}), kb.Refused},
			{"delete", "", at("mine/plan.md", write.Delete{}), kb.Refused},
			{"delete by owner", "", at("free/own.md", write.Delete{}), kb.Refused},
			{"move another", "", at("free/note.md", write.Move{To: "free/other.md"}), ""},
			{"delete another", "", at("free/other.md", write.Delete{}), ""},
			{"move when asked", "user asked", at("mine/plan.md", write.Move{To: "free/plan.md"}), ""},
		} {
			req := request(tc.change)
			req.Actor, req.Message = kb.Actor{Kind: kb.Agent, Name: "x"}, tc.message
			if _, err := m.Writer.Apply(t.Context(), req); kb.CodeOf(err) != tc.want {
				t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
			}
		}
	})
}

func TestSecretsNeverReachTheDisk(t *testing.T) {
	t.Parallel()
	// Put together here, so that no secret stands in the repository.
	token := "ghp_" + "R7tYq2WzX9mK4" + "vB6nL1sD8fG3hJ5" + "pC0aE7uI"
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		_, err := m.Writer.Apply(context.Background(), request(put(s, "a.md", "token "+token+"\n")))
		if kb.CodeOf(err) != kb.Secret {
			t.Fatalf("got %v", err)
		}
		if e := kb.AsError(err); strings.Contains(fmt.Sprint(e.Error(), e.Hint, e.Facts), token) {
			t.Error("the error shows the secret")
		}
		if len(m.Pages(s)) != 0 || m.Pending() != 0 {
			t.Error("something was written")
		}
		req := request(put(s, "a.md", "token "+token+"\n"))
		req.AllowSecrets = []string{kb.AsError(err).Details["findings"].([]map[string]any)[0]["rule"].(string)}
		m.Apply(req)
		// An owner's own secret does not stop an edit elsewhere in the page.
		m.Apply(request(edit(s, "a.md", doc.Append{Text: "harmless\n"})))
	})
}

// A mark lets pass what a person wrote: nothing that an agent adds, and what was there
// when an agent changes the page, moves the text to another one or brings it back.
func TestMarksOfAgentsLetNothingPass(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "R7tYq2WzX9mK4" + "vB6nL1sD8fG3hJ5" + "pC0aE7uI"
	other := "ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU"
	marked := "token " + token + " cairn:allow\n"
	agent := kb.Actor{Kind: kb.Agent, Name: "bot"}
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		by := func(actor kb.Actor, changes ...write.Change) (*write.Result, error) {
			r := request(changes...)
			r.Actor = actor
			return m.Writer.Apply(t.Context(), r)
		}
		if _, err := by(agent, put(s, "a.md", marked)); kb.CodeOf(err) != kb.Secret || kb.AsError(err).Facts["mark"] != nil {
			t.Errorf("an agent's mark: %v, %v", err, kb.AsError(err).Facts)
		}
		if _, err := by(human, put(s, "a.md", marked)); err != nil {
			t.Fatal(err)
		}
		if _, err := by(agent, edit(s, "a.md", doc.Append{Text: "harmless\n"})); err != nil {
			t.Errorf("beside a person's mark: %v", err)
		}
		if _, err := by(agent, edit(s, "a.md", doc.Append{Text: other + " cairn:allow\n"})); kb.CodeOf(err) != kb.Secret {
			t.Errorf("beside a person's mark, another one: %v", err)
		}
		move := []write.Change{put(s, "b.md", "# B\n\n"+marked), {Space: s, Path: "a.md", Action: write.Delete{}}}
		if _, err := by(agent, move...); err != nil {
			t.Errorf("moved to another page: %v", err)
		}
		back := request(put(s, "c.md", marked))
		back.Actor, back.Operation = agent, "restore"
		if _, err := m.Writer.Apply(t.Context(), back); err != nil {
			t.Errorf("restored: %v", err)
		}
		s.Policy.Secrets.Action = policy.Redact
		if _, err := by(agent, put(s, "d.md", other+" cairn:allow\n")); err != nil {
			t.Error(err)
		}
		if got := m.Bytes(m.Pages(s)["d.md"]); got != "[redacted: github-token] cairn:allow\n" {
			t.Errorf("redacted to %q", got)
		}
	})
}

// What stands in the place of one credential does not hide another one.
func TestRedactionLeavesNothing(t *testing.T) {
	t.Parallel()
	agent := kb.Actor{Kind: kb.Agent, Name: "bot"}
	values := []string{"hunter2" + "hunter2", "Tr0ub4dor" + "&3xK9z", "Wq29Lm" + "Rt7xbb"}
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		s.Policy.Secrets.Action = policy.Redact
		for i, text := range []string{
			"pw: %[1]s and pw: %[2]s", "password: %[1]s, password: %[2]s", "password: %[2]s password: %[3]s", "mail pw: %[3]s, wifi pw: %[2]s",
			"login a / %[3]s and login b / %[2]s", "| user | password | pin |\n|---|---|---|\n| a | %[3]s | %[2]s |",
			"https://u:%[3]s@h.io https://u:%[1]s@h.io", "PGPASSWORD=%[3]s psql; MYSQL_PWD=%[2]s mysql",
		} {
			r := request(put(s, fmt.Sprintf("p%d.md", i), fmt.Sprintf("# T\n\n"+text+"\n%.0[1]s%.0[2]s%.0[3]s", values[0], values[1], values[2])))
			r.Actor = agent
			_, err := m.Writer.Apply(t.Context(), r)
			if err != nil && kb.CodeOf(err) != kb.Secret {
				t.Errorf("%s: %v", text, err)
			}
			page, ok := m.Pages(s)[fmt.Sprintf("p%d.md", i)]
			if !ok {
				continue
			}
			got := m.Bytes(page)
			for _, v := range values {
				if strings.Contains(got, v) {
					t.Errorf("%s: %q stays in %q", text, v, got)
				}
			}
		}
	})
}

// A rule of the space is one there, and can be allowed there.
func TestOwnSecretRulesHoldInTheSpace(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		req := request(put(s, "a.md", "key acme_4711881122\n"))
		m.Apply(req)
		s.Policy.Secrets.Rules = []secrets.Rule{{ID: "acme", Kind: "Acme key", Token: []string{`acme_[0-9]{9,}`}}}
		req = request(put(s, "b.md", "key acme_4711881122\n"))
		_, err := m.Writer.Apply(t.Context(), req)
		if e := kb.AsError(err); kb.CodeOf(err) != kb.Secret || !strings.Contains(e.Message, "Acme key on line 1") || !slices.Equal(e.Facts["rules"].([]string), []string{"acme"}) {
			t.Errorf("%v", err)
		}
		req.AllowSecrets = []string{"acme"}
		m.Apply(req)
	})
}

// What is kept beside the text is looked at as well.
func TestSecretsBesideTheText(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU"
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "a\n")))
		remove := write.Change{Space: s, Path: "a.md", Action: write.Delete{}}
		for what, req := range map[string]write.Request{
			"message": {Actor: human, Message: "because " + token, Changes: []write.Change{remove}},
			"actor":   {Actor: kb.Actor{Kind: kb.Agent, Name: token}, Changes: []write.Change{remove}},
			"path":    request(put(s, token+".md", "b\n")),
			"move":    request(write.Change{Space: s, Path: "a.md", Action: write.Move{To: token + "/a.md"}}),
		} {
			_, err := m.Writer.Apply(t.Context(), req)
			if e := kb.AsError(err); kb.CodeOf(err) != kb.Secret || strings.Contains(fmt.Sprint(e.Message, e.Hint, e.Facts), token) {
				t.Errorf("%s: %v", what, err)
			}
			req.AllowSecrets = []string{"github-token"}
			req.DryRun = true
			if _, err := m.Writer.Apply(t.Context(), req); err != nil {
				t.Errorf("%s, allowed: %v", what, err)
			}
		}
		s.Policy.Secrets.Off = true
		m.Apply(write.Request{Actor: human, Message: "because " + token, Changes: []write.Change{remove}})
	})
}

func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "a\n")))
		nine := 9
		_, err := m.Writer.Apply(context.Background(), request(
			put(s, "b.md", "b\n"),
			write.Change{Space: s, Path: "a.md", Expected: &nine, Action: write.Delete{}},
		))
		if kb.CodeOf(err) != kb.Conflict {
			t.Fatalf("got %v", err)
		}
		if pages := m.Pages(s); len(pages) != 1 {
			t.Errorf("half of an apply happened: %v", pages)
		}
	})
}

// A file that cannot be replaced takes back those that were.
func TestFailedReplaceIsTakenBack(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "a.md", "a\n"), put(s, "b.md", "b\n")))
	fault := fsys.NewFault(mem)
	full := errors.New("no space left")
	replaced := 0
	fault.FailIf(func(c fsys.Call) bool {
		if c.Op == "exchange" {
			replaced++
		}
		return c.Op == "exchange" && replaced == 2
	}, full)
	s.Files = fault
	_, err := m.Writer.Apply(context.Background(), request(
		edit(s, "a.md", doc.Append{Text: "1"}), edit(s, "b.md", doc.Append{Text: "2"})))
	if !errors.Is(err, full) {
		t.Fatalf("got %v", err)
	}
	s.Files = mem
	for name, want := range map[string]string{"a.md": "a\n", "b.md": "b\n"} {
		if got := fsystest.Get(t, mem, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if m.Pending() != 0 {
		t.Error("the journal holds a change that was taken back")
	}
	m.Apply(request(edit(s, "a.md", doc.Append{Text: "works again\n"})))
}

func TestPathsThatAreRefused(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		for _, path := range []string{
			"../a.md", "/a.md", "a/../../b.md", "a\x00.md", "a\n.md", "C:/a.md", "con.md", ".hidden/a.md", "a.txt", "a", "",
		} {
			if _, err := m.Writer.Apply(context.Background(), request(put(s, path, "x"))); err == nil {
				t.Errorf("%q was taken", path)
			}
		}
		if len(m.Pages(s)) != 0 {
			t.Error("something was written")
		}
	})
}

// A page whose name some system would take for another's is refused, wherever
// the two meet: with what is there, within a change set, in a directory.
func TestTwinsAreRefused(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		move := func(from, to string) write.Change {
			return write.Change{Space: s, Path: from, Action: write.Move{To: to}}
		}
		m.Apply(request(put(s, "Note.md", "a\n"), put(s, "Dir/e\u0301.md", "b\n"), put(s, "Dir/c.md", "c\n")))
		for what, changes := range map[string][]write.Change{
			"case":                 {put(s, "note.md", "x\n")},
			"case of a directory":  {put(s, "dir/new.md", "x\n")},
			"normal form":          {put(s, "Dir/\u00e9.md", "x\n")},
			"within the set":       {put(s, "new.md", "x\n"), put(s, "New.md", "x\n")},
			"directories of a set": {put(s, "new/a.md", "x\n"), put(s, "New/b.md", "x\n")},
			"move":                 {move("Dir/c.md", "NOTE.md")},
			"move to a directory":  {move("Note.md", "dir/n.md")},
			"move after a move":    {move("Note.md", "x.md"), move("Dir/c.md", "X.md")},
			"of a directory's":     {move("Dir/c.md", "dir/c.md")}, // the other stays
		} {
			_, err := m.Writer.Apply(t.Context(), request(changes...))
			if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Hint == "" {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, changes := range [][]write.Change{
			{move("Note.md", "note.md")},
			{move("Dir/e\u0301.md", "Dir/\u00e9.md")},
			{move("note.md", "x.md"), put(s, "NOTE.md", "new\n")},
			{{Space: s, Path: "NOTE.md", Action: write.Delete{}}, put(s, "note.md", "again\n")},
		} {
			if _, err := m.Writer.Apply(t.Context(), request(changes...)); err != nil {
				t.Errorf("%s: %v", changes[0].Path, err)
			}
		}
	})
}

func TestMoveKeepsLinks(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(
			put(s, "a/target.md", "# Target\n\nSee [the other](../b/other.md#part) and [[other]].\n"),
			put(s, "b/other.md", "# Other\n\n- uses [[target]] @2026-01.. (why)\n- [[a/target|alias]] ![[target#Part]]\n[x](../a/target.md#h \"t\")\n"),
			put(s, "c.md", "[[Target]] `[[target]]` [y](a/target.md) [[nowhere]]\n"),
			put(s, "o.org", "#+title: O\n\n[[file:a/target.md][t]]\n"),
		))
		before := m.Links(s)
		m.Apply(request(write.Change{Space: s, Path: "a/target.md", Action: write.Move{To: "x/y/renamed.md"}}))
		after := m.Links(s)
		for i := range before {
			before[i] = strings.ReplaceAll(before[i], "a/target.md", "x/y/renamed.md")
		}
		slices.Sort(before)
		slices.Sort(after)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("links broke: %s", diff)
		}
		pages := m.Pages(s)
		for path, want := range map[string]string{
			"b/other.md": "# Other\n\n- uses [[renamed]] @2026-01.. (why)\n- [[x/y/renamed|alias]] ![[renamed#Part]]\n[x](../x/y/renamed.md#h \"t\")\n",
			"c.md":       "[[renamed]] `[[target]]` [y](x/y/renamed.md) [[nowhere]]\n",
			"o.org":      "#+title: O\n\n[[file:x/y/renamed.md][t]]\n",
		} {
			if got := m.Bytes(pages[path]); got != want {
				t.Errorf("%s is\n%q, want\n%q", path, got, want)
			}
		}
		if got := m.Bytes(pages["x/y/renamed.md"]); !strings.Contains(got, "[the other](../../b/other.md#part)") {
			t.Errorf("its own links were not rewritten: %q", got)
		}
		if w := m.Versions(s, pages["c.md"].ID)[0].Write; w != m.Versions(s, pages["b/other.md"].ID)[0].Write {
			t.Error("the rewriting is not one write")
		}
	})
}

func TestKeepLinksLeavesThem(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "t.md", "t\n"), put(s, "l.md", "[[t]]\n")))
		m.Apply(request(write.Change{Space: s, Path: "t.md", Action: write.Move{To: "u.md", KeepLinks: true}}))
		if got := m.Bytes(m.Pages(s)["l.md"]); got != "[[t]]\n" {
			t.Errorf("got %q", got)
		}
		if diff := cmp.Diff([]string{"l.md -> ?"}, m.Links(s)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRenamedTitleKeepsLinks(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "p/x1.md", "---\ntitle: Old Name\n---\n"), put(s, "l.md", "[[Old Name]] [[x1]]\n")))
		m.Apply(request(edit(s, "p/x1.md", doc.SetTitle{Title: "New Name"})))
		if got, want := m.Bytes(m.Pages(s)["l.md"]), "[[New Name]] [[x1]]\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestPendingLinksResolve(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "a.md", "[[later]]\n")))
		if diff := cmp.Diff([]string{"a.md -> ?"}, m.Links(s)); diff != "" {
			t.Error(diff)
		}
		m.Apply(request(put(s, "d/later.md", "x\n")))
		if diff := cmp.Diff([]string{"a.md -> d/later.md"}, m.Links(s)); diff != "" {
			t.Error(diff)
		}
		m.Apply(request(write.Change{Space: s, Path: "e/later.md", Action: write.Put{Bytes: []byte("y\n"), Copied: true}}))
		if diff := cmp.Diff([]string{"a.md -> ??"}, m.Links(s)); diff != "" {
			t.Error(diff)
		}
		m.Apply(request(write.Change{Space: s, Path: "d/later.md", Action: write.Delete{}}))
		if diff := cmp.Diff([]string{"a.md -> e/later.md"}, m.Links(s)); diff != "" {
			t.Error(diff)
		}
	})
}

func hash(text string) kb.Hash { return index.Hash([]byte(text)) }

func TestSizeOfRequest(t *testing.T) {
	t.Parallel()
	req := write.Request{Changes: []write.Change{{Size: 3}, {Action: write.Put{Bytes: []byte("four")}}}}
	if got := req.Size(); got != 4 {
		t.Errorf("size %d, want 4", got)
	}
}
