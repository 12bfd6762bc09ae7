package space

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// minToken is the minimum length of a token edited by hand: 16 of 64 characters are
// 96 bits, which cannot be guessed over HTTP.
const minToken = 16

// Token authenticates a client to a server over HTTP.
type Token struct {
	Text  string
	Agent string // the agent of the token, "" for the owner's
}

// TokenPath returns the path of the owner's token for HTTP clients, whether or not
// it exists: next to the database if that is a file, else in the user's data
// directory under a name that other memories do not use.
func TokenPath(o Place) (string, error) {
	path, err := DatabasePath(o)
	if err != nil {
		return "", err
	}
	if store.IsURL(path) {
		name, err := o.nameOf(path)
		if err != nil {
			return "", err
		}
		path = filepath.Join(o.dataHome(), "cairn", name)
	}
	return path + ".token", nil
}

// ReceiptsDir returns the directory for receipts of permanent removals, next to the
// token.
func ReceiptsDir(o Place) (string, error) {
	path, err := TokenPath(o)
	return filepath.Join(filepath.Dir(path), "receipts"), err
}

// nameOf returns the base name of the files of a memory with a URL: from its host,
// its database and its name, for any role. Missing parts of the URL come from the
// environment.
func (o Place) nameOf(location string) (string, error) {
	u, err := url.Parse(location)
	if err != nil {
		return "", kb.Errorf(kb.Usage, "invalid URL of a memory").WithReason(kb.InvalidDatabaseURL)
	}
	q := u.Query()
	of := []string{
		strings.ToLower(cmp.Or(q.Get("host"), q.Get("hostaddr"), u.Hostname(), o.Env("PGHOST"))), cmp.Or(q.Get("port"), u.Port(), o.Env("PGPORT")), cmp.Or(q.Get("service"), o.Env("PGSERVICE")),
		cmp.Or(q.Get("dbname"), q.Get("database"), strings.TrimPrefix(u.Path, "/"), o.Env("PGDATABASE")), cmp.Or(q.Get("memory"), store.DefaultMemory),
	}
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return "memory-" + hex.EncodeToString(sum[:8]), nil
}

// OfMemory reports whether a file, given by an absolute path, belongs to the memory
// itself: its database with SQLite's additional files, its tokens and its locks.
func OfMemory(o Place, path string) (bool, error) {
	tokens, err := TokenPath(o)
	if err != nil {
		return false, err
	}
	database, err := Resolved(strings.TrimSuffix(tokens, ".token"))
	if err != nil {
		return false, err
	}
	if path, err = Resolved(path); err != nil {
		return false, err
	}
	if len(path) < len(database) || !strings.EqualFold(path[:len(database)], database) {
		return false, nil // ignoring case: so do some file systems
	}
	rest := path[len(database):]
	return rest == "" || strings.ContainsRune(".-", rune(rest[0])), nil
}

// AgentTokenPath returns the path of the token of an agent, whether or not it
// exists: under its name, in a directory next to the owner's.
func AgentTokenPath(o Place, agent string) (string, error) {
	if a, err := kb.ParseActor(agent); err != nil || a != (kb.Actor{Kind: kb.Agent, Name: agent}) || !agentForm().MatchString(agent) || noteForm().MatchString(agent) {
		return "", kb.Errorf(kb.Usage, "%q is not a valid name of an agent", agent).
			WithHint("Names are up to 64 letters, digits, dots, dashes and underscores, such as claude-code, and do not end like a note, in .md or .org.")
	}
	path, err := TokenPath(o)
	return filepath.Join(path+"s", agent), err
}

// noteForm matches names of notes: a token in such a file would be a page if the
// memory is in a space.
var noteForm = lazyregexp.New(`(?i)\.(md|org|markdown|canvas|base)$`)

// agentForm matches valid names of agents with a token.
var agentForm = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// ReadTokens returns the valid tokens: that of the owner, and those of the agents
// by name. Unreadable tokens are not valid.
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
	agents, _ := os.ReadDir(path + "s") // a missing directory has no tokens
	for _, a := range agents {
		if path, err := AgentTokenPath(o, a.Name()); err == nil {
			add(path, a.Name())
		}
	}
	return out
}

// ReadToken reads the token of an agent, or the owner's for ""; kb.NotFound if
// there is none, and kb.Refused if other users can read it, since they may have
// done so.
func ReadToken(o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	return readToken(path, agent)
}

// MakeToken is ReadToken, but creates a random token if there is none. Of several
// concurrent processes, only one creates it.
func MakeToken(ctx context.Context, o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	token, err := readToken(path, agent)
	if kb.CodeOf(err) != kb.NotFound {
		return token, err
	}
	return newToken(ctx, path, rand.Text())
}

// RotateToken replaces a token, if there is one. Servers use the new one from the
// next request on.
func RotateToken(ctx context.Context, o Place, agent string) (string, error) {
	path, err := tokenPath(o, agent)
	if err != nil {
		return "", err
	}
	if err := removeToken(ctx, path); err != nil {
		return "", err
	}
	return newToken(ctx, path, rand.Text())
}

// removeToken removes a token, if there is one, so that its replacement does not
// inherit loose permissions.
func removeToken(ctx context.Context, path string) error {
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err == nil {
		err = errors.Join(fsys.RemoveDurable(ctx, d, filepath.Base(path), fsys.Any()), d.Close())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fsys.Explain(err, "replace the token %s", path)
}

// MakeHost returns the host name under which browsers reach the memory. It is
// created once, and kept when the token is replaced: browsers store drafts under
// it. A memory without one uses the name of its token, under which tabs may be
// open. It is random if there is no token, or if others can read the name or have
// written another text.
func MakeHost(ctx context.Context, o Place, of func(secret string) string, is func(name string) bool) (string, error) {
	path, err := TokenPath(o)
	if err != nil {
		return "", err
	}
	path = strings.TrimSuffix(path, ".token") + ".host"
	name, err := readToken(path, "")
	if err == nil && is(name) {
		return name, nil
	}
	secret := rand.Text()
	if kb.CodeOf(err) != kb.NotFound {
		if err := removeToken(ctx, path); err != nil {
			return "", err
		}
	} else if token, err := ReadToken(o, ""); err == nil {
		secret = token
	}
	return newToken(ctx, path, of(secret))
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

// newToken creates a token if there is none, or returns the one that another
// process has just created.
func newToken(ctx context.Context, path, token string) (string, error) {
	if err := fsys.MakeDir(filepath.Dir(path)); err != nil {
		return "", fsys.Explain(err, "make the token %s", path)
	}
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err != nil {
		return "", fsys.Explain(err, "make the token %s", path)
	}
	err = fsys.WriteAtomic(ctx, d, filepath.Base(path), []byte(token+"\n"), fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
	if err = errors.Join(err, d.Close()); err != nil && !errors.Is(err, fsys.ErrChanged) {
		return "", fsys.Explain(err, "make the token %s", path)
	}
	return readToken(path, "")
}
