package kb_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestFiling(t *testing.T) {
	t.Parallel()
	f := kb.Filing("").TypeIn("people/family", "relative").TypeIn("people", "person").TypeIn("wing", "plane").WithWings().WithRooms()
	for path, want := range map[string]string{
		"people/ada.md": "person", "people/family/byron.md": "relative", "people/work/ada.org": "person",
		"people.md": "", "peoples/ada.md": "", "old/people/ada.md": "", "people/": "", "wing/x.md": "plane", "": "",
	} {
		if got := f.Type(path); got != want {
			t.Errorf("type of %q: %q, want %q", path, got, want)
		}
	}
	for slug, want := range map[string]string{
		"people/ada": "ada", "readme": "readme", "a/b/c": "c", "people/ada#x/y": "ada", "": "",
	} {
		if got := f.Wing(slug); got != want {
			t.Errorf("wing of %q: %q, want %q", slug, got, want)
		}
	}
	if !f.Rooms() {
		t.Error("no rooms")
	}
	named := f.WithAlias("user/*", "identity/*").WithAlias("today", "state/today")
	for slug, want := range map[string]string{"user/profile": "identity/profile", "today": "state/today", "user/": "", "users/x": "", "todays": "", "identity/profile": ""} {
		if got, ok := named.Unaliased(slug); ok != (want != "") || ok && got != want {
			t.Errorf("%q means %q, %v, want %q", slug, got, ok, want)
		}
	}
	for slug, want := range map[string]string{"User/Profile": "identity/Profile", "USER/a/User": "identity/a/User", "Today": "state/today", "User": ""} {
		if got, ok := named.Unaliased(slug); ok != (want != "") || ok && got != want {
			t.Errorf("%q means %q, %v, want %q", slug, got, ok, want)
		}
	}
	if got := named.Aliases("State/Today"); len(got) != 1 || got[0] != "today" {
		t.Errorf("aliases of State/Today: %q", got)
	}
	if got := named.Aliases("identity/profile"); len(got) != 1 || got[0] != "user/profile" || named.Aliases("identity") != nil {
		t.Errorf("aliases of identity/profile: %q", got)
	}
	none := kb.Filing("").TypeIn("people", "person")
	if none.Wing("people/ada") != "" || none.Rooms() || kb.Filing("").Type("people/ada.md") != "" {
		t.Error("a filing files what it has no rule for")
	}
}
