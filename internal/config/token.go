package config

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// minToken is the fewest characters of a token that somebody wrote by hand:
// 16 of 64 kinds are 96 bits, which nobody guesses over HTTP.
const minToken = 16

// TokenPath returns where the token is that programs show to a server over
// HTTP, whether or not there is one: beside the database when that is a file.
func TokenPath(o Place) (string, error) {
	path, err := DatabasePath(o)
	if store.IsURL(path) {
		path = filepath.Join(o.dataHome(), "cairn", "memory")
	}
	return path + ".token", err
}

// Token reads the token; kb.NotFound when there is none, and kb.Refused when
// others than its owner can read it, since they may have.
func Token(o Place) (string, error) {
	path, err := TokenPath(o)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", kb.Errorf(kb.NotFound, "there is no token yet: %s", path).WithHint("cairn serve --http makes it.")
	}
	if err != nil {
		return "", fsys.Explain(err, "read the token %s", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", kb.Errorf(kb.Refused, "others can read the token %s", path).
			WithHint("Make a new one with: cairn serve token --rotate")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fsys.Explain(err, "read the token %s", path)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", kb.Errorf(kb.Invalid, "the token %s is not %d or more letters, digits and signs", path, minToken).
			WithHint("Make a new one with: cairn serve token --rotate")
	}
	return token, nil
}

// MakeToken is Token, but for making one that nobody can guess where there is
// none. Of several servers that start at once, one makes it.
func MakeToken(ctx context.Context, o Place) (string, error) {
	token, err := Token(o)
	if kb.CodeOf(err) != kb.NotFound {
		return token, err
	}
	return newToken(ctx, o)
}

// RotateToken makes another token in the place of the one that there is, if
// there is one. Servers take it with their next request.
func RotateToken(ctx context.Context, o Place) (string, error) {
	path, err := TokenPath(o)
	if err != nil {
		return "", err
	}
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err != nil {
		return "", fsys.Explain(err, "replace the token %s", path)
	}
	// Removed, not replaced: a new file takes over no loose permissions.
	err = fsys.RemoveDurable(ctx, d, filepath.Base(path), fsys.Any())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return "", fsys.Explain(err, "replace the token %s", path)
	}
	return newToken(ctx, o)
}

// newToken makes a token where there is none, or takes the one that another
// process has just made.
func newToken(ctx context.Context, o Place) (string, error) {
	path, err := TokenPath(o)
	if err != nil {
		return "", err
	}
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err != nil {
		return "", fsys.Explain(err, "make the token %s", path)
	}
	text := []byte(rand.Text() + "\n")
	err = fsys.WriteAtomic(ctx, d, filepath.Base(path), text, fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
	if err = errors.Join(err, d.Close()); err != nil && !errors.Is(err, fsys.ErrChanged) {
		return "", fsys.Explain(err, "make the token %s", path)
	}
	return Token(o)
}
