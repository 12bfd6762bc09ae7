package kb_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestErrorKeepsCauseAndSaysItOnce(t *testing.T) {
	t.Parallel()
	err := kb.Errorf(kb.Internal, "cannot read %s: %w", "a.md", fs.ErrPermission).WithHint("check the mode")
	if got, want := err.Error(), "cannot read a.md: permission denied"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
	if got := kb.CodeOf(errors.Join(errors.New("x"), err)); got != kb.Internal {
		t.Errorf("CodeOf = %q", got)
	}
	if got := kb.CodeOf(nil); got != "" {
		t.Errorf("CodeOf(nil) = %q", got)
	}
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"Machine Learning", "machine-learning"},
		{"machine_learning", "machine-learning"},
		{"  Machine -- Learning! ", "machine-learning"},
		{"all tomorrow's parties", "all-tomorrow-s-parties"},
		{"1*", "1"},
		{"***", "***"},
		{"C++", "c++"},
		{"Révolution", "révolution"},
		{"Re\u0301volution", "révolution"},
		{"STRASSE", "strasse"},
		{"Straße", "strasse"},
		{"🦰", "🦰"},
		{"ﬁle", "file"},
		{"日本 語", "日本-語"},
		{"", ""},
	} {
		if got := kb.NameKey(tc.in); got != tc.want {
			t.Errorf("NameKey(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestDerivedIDIsStableAndDistinct(t *testing.T) {
	t.Parallel()
	space := kb.ID("5b1d5b4e-6a35-5d0f-9c39-0f5c7f2d1a10")
	a := kb.DerivedID(space, "a.md", "", 0)
	if a != kb.DerivedID(space, "a.md", "", 0) {
		t.Error("not stable")
	}
	seen := map[kb.ID]bool{a: true}
	for _, other := range []kb.ID{
		kb.DerivedID(space, "b.md", "", 0), kb.DerivedID(space, "a.md", "n", 0), kb.DerivedID(space, "a.md", "", 1),
	} {
		if seen[other] {
			t.Errorf("%s twice", other)
		}
		seen[other] = true
	}
}
