package space

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// minToken is the fewest characters of a token that somebody wrote by hand:
// 16 of 64 kinds are 96 bits, which nobody guesses over HTTP.
const minToken = 16

// Token is what a client shows to a server over HTTP.
type Token struct {
	Text  string
	Agent string // the agent that it is bound to, "" for the owner's
}

// TokenPath returns where the owner's token is that programs show to a server
// over HTTP, whether or not there is one: beside the database when that is a
// file.
func TokenPath(o Place) (string, error) {
	path, err := DatabasePath(o)
	if store.IsURL(path) {
		path = filepath.Join(o.dataHome(), "cairn", "memory")
	}
	return path + ".token", err
}

// AgentTokenPath returns where the token is that is bound to an agent, whether
// or not there is one: under its name, in a directory beside the owner's.
func AgentTokenPath(o Place, agent string) (string, error) {
	if a, err := kb.ParseActor(agent); err != nil || a != (kb.Actor{Kind: kb.Agent, Name: agent}) || !agentForm.MatchString(agent) {
		return "", kb.Errorf(kb.Usage, "%q is no name of an agent", agent).
			WithHint("Names are up to 64 letters, digits, dots, dashes and underscores, such as claude-code.")
	}
	path, err := TokenPath(o)
	return filepath.Join(path+"s", agent), err
}

// agentForm is what the name of an agent may be that has a token.
var agentForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// ReadTokens returns the tokens that hold: that of the owner, and those of the
// agents by their names. One that cannot be read holds no more.
func ReadTokens(o Place) []Token {
	path, err := TokenPath(o)
	if err != nil {
		return nil
	}
	var out []Token
	add := func(path, agent string) {
		if text, err := readToken(path, agent); err == nil {
			out = append(out, Token{text, agent})
		}
	}
	add(path, "")
	agents, _ := os.ReadDir(path + "s") // there are none where it is not there
	for _, a := range agents {
		if path, err := AgentTokenPath(o, a.Name()); err == nil {
			add(path, a.Name())
		}
	}
	return out
}

// ReadToken reads the token of an agent, or the owner's for ""; kb.NotFound
// when there is none, and kb.Refused when others than its owner can read it,
// since they may have.
func ReadToken(o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	return readToken(path, agent)
}

// MakeToken is ReadToken, but for making one that nobody can guess where there
// is none. Of several processes that make it at once, one does.
func MakeToken(ctx context.Context, o Place, agent string) (string, error) {
	token, err := ReadToken(o, agent)
	if kb.CodeOf(err) != kb.NotFound {
		return token, err
	}
	return newToken(ctx, o, agent)
}

// RotateToken makes another token in the place of the one that there is, if
// there is one. Servers take it with their next request.
func RotateToken(ctx context.Context, o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	d, err := fsys.OpenDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return newToken(ctx, o, agent)
	}
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
	return newToken(ctx, o, agent)
}

func tokenPath(o Place, agent string) (string, error) {
	if agent == "" {
		return TokenPath(o)
	}
	return AgentTokenPath(o, agent)
}

func readToken(path, agent string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", kb.Errorf(kb.NotFound, "there is no token yet: %s", path).WithReason(kb.NoToken).WithFact("agent", agent)
	}
	if err != nil {
		return "", fsys.Explain(err, "read the token %s", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", kb.Errorf(kb.Refused, "others can read the token %s", path).
			WithReason(kb.TokenUnfit).WithFact("agent", agent)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fsys.Explain(err, "read the token %s", path)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", kb.Errorf(kb.Invalid, "the token %s is not %d or more letters, digits and signs", path, minToken).
			WithReason(kb.TokenUnfit).WithFact("agent", agent)
	}
	return token, nil
}

// newToken makes a token where there is none, or takes the one that another
// process has just made.
func newToken(ctx context.Context, o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	if agent != "" {
		if err := fsys.MakeDir(filepath.Dir(path)); err != nil {
			return "", fsys.Explain(err, "make the token %s", path)
		}
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
	return readToken(path, agent)
}
