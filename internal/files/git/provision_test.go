package git_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
)

// What would run a program, or is an option, is no address; a remote that is there stays.
func TestRemote(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]kb.Code{
		"git@example.org:kb.git":        "",
		"https://example.org/a::b.git":  "",
		"/srv/kb.git":                   "",
		"ext::sh -c evil":               kb.Refused,
		"fd::3":                         kb.Refused,
		"--upload-pack=evil":            kb.Refused,
		"":                              kb.Usage,
		" ":                             kb.Usage,
		"git@example.org:kb.git\nevil=": kb.Usage,
	} {
		if got := kb.CodeOf(git.CheckRemote(url)); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
	tree := &git.Tree{Dir: t.TempDir()}
	for range 2 {
		if err := tree.Init(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	far := t.TempDir() // with nothing of git in it: it cannot be reached
	for range 2 {
		if err := tree.SetRemote(t.Context(), r, far); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.SetRemote(t.Context(), r, far+"2"); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("another remote: %v", err)
	}
	state, err := tree.Branch(t.Context(), r)
	if err != nil || !strings.HasPrefix(state.Upstream, "origin/") {
		t.Errorf("it follows %q: %v", state.Upstream, err)
	}
}
