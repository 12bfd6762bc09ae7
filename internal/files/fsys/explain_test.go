package fsys_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	at := func(err error) error {
		return fmt.Errorf("step: %w", &fs.PathError{Op: "open", Path: "/home/me/notes/a.md", Err: err})
	}
	tests := []struct {
		err  error
		code kb.Code
		text string
	}{
		{at(syscall.ENOSPC), kb.Internal, "disk is full"},
		{at(syscall.EROFS), kb.Internal, "file system is read-only"},
		{at(syscall.EIO), kb.Internal, "disk reported an error"},
		{at(syscall.EMFILE), kb.Internal, "too many files"},
		{at(fs.ErrPermission), kb.Internal, "permission denied"},
		{at(fs.ErrNotExist), kb.NotFound, "no such file"},
		{at(fs.ErrExist), kb.Conflict, "of this name already"},
		{at(fs.ErrInvalid), kb.Invalid, "not a path"},
		{at(syscall.ENOTDIR), kb.Invalid, "not a directory"},
		{at(syscall.ENAMETOOLONG), kb.Invalid, "too long"},
		{at(fsys.ErrChanged), kb.Conflict, "changed since"},
		{at(fsys.ErrTooLarge), kb.Invalid, "too large"},
		{at(fsys.ErrNotRegular), kb.Refused, "not a regular file"},
		{at(fsys.ErrSymlink), kb.Refused, "symbolic link"},
		{at(fsys.ErrEscapes), kb.Refused, "symbolic link"},
		{at(errors.Join(fsys.ErrNotDurable, syscall.EIO)), kb.Internal, "change was made"},
		{at(errors.New("strange")), kb.Internal, "the file system failed"},
		{at(syscall.ELOOP), kb.Refused, "symbolic link"},
		{at(syscall.EDOM), kb.Internal, "the file system failed (numerical"},
	}
	for _, test := range tests {
		err := fsys.Explain(test.err, "write %s", "a.md")
		var e *kb.Error
		if !errors.As(err, &e) {
			t.Errorf("%v: %v", test.err, err)
			continue
		}
		if e.Code != test.code || !strings.HasPrefix(e.Message, "cannot write a.md: ") || !strings.Contains(e.Message, test.text) {
			t.Errorf("%v: %s %q", test.err, e.Code, e.Message)
		}
		if !strings.HasPrefix(e.Hint, "Nothing was ") && !errors.Is(test.err, fsys.ErrNotDurable) {
			t.Errorf("%v: %q does not say first that nothing was lost", test.err, e.Hint)
		}
		if strings.Contains(e.Message+e.Hint, "/home/me") {
			t.Errorf("%q says where the user lives", e.Message)
		}
		if !errors.Is(err, test.err) {
			t.Errorf("%v: the cause is lost", test.err)
		}
	}
	for _, err := range []error{nil, context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded), kb.Errorf(kb.Secret, "no")} {
		if got := fsys.Explain(err, "write"); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestExplainPreconditions(t *testing.T) {
	t.Parallel()
	f := fsys.NewMem(clock())
	write := func(pre fsys.Precondition) error {
		return fsys.Explain(fsys.WriteAtomic(t.Context(), f, "a.md", []byte("x"), pre, fsys.WriteOptions{}), "write a.md")
	}
	for _, test := range []struct {
		pre  fsys.Precondition
		text string
	}{
		{fsys.Unchanged(nil), "cannot write a.md: it was removed since it was read"},
		{fsys.Absent(), ""},
		{fsys.Absent(), "cannot write a.md: there is a file of this name already"},
		{fsys.Unchanged([]byte("y")), "cannot write a.md: it changed since it was read"},
	} {
		err := write(test.pre)
		if test.text == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if e := kb.AsError(err); err == nil || e.Code != kb.Conflict || e.Message != test.text {
			t.Errorf("%v, want %q", err, test.text)
		}
	}
	if err := f.SetPerm("a.md", 0o400); err != nil {
		t.Fatal(err)
	}
	if e := kb.AsError(write(fsys.Any())); e.Message != "cannot write a.md: the file is marked read-only" {
		t.Errorf("%q", e.Message)
	}
}
