package git

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// askLimit is how long a remote that somebody wants to know about has to answer.
const askLimit = 5 * time.Second

// Addresses are those at which the branch that is checked out is fetched and pushed.
func (t *Tree) Addresses(ctx context.Context, branch string) ([]string, error) {
	remote, _, err := t.remote(ctx, branch)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, args := range [][]string{{"--all"}, {"--all", "--push"}} {
		out, err := t.git(ctx, run{args: slices.Concat([]string{"remote", "get-url"}, args, []string{"--", remote}), plain: true})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if at := strings.TrimRight(line, "\r\n"); at != "" && !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all, nil
}

// Ask asks whether there is a repository at an address, as one who may push there.
func (t *Tree) Ask(ctx context.Context, address string) error {
	if err := CheckRemote(address); err != nil {
		return err
	}
	_, err := t.ask(ctx, address, cmp.Or(t.Limits.Fetch, askLimit))
	return err
}

// ask lists the branches at an address. It runs outside the repository, so that
// only the user's own settings apply.
func (t *Tree) ask(ctx context.Context, address string, limit time.Duration) ([]byte, error) {
	all, err := t.settings(ctx)
	if err != nil {
		return nil, err
	}
	return t.outside().git(ctx, run{args: []string{"ls-remote", "--quiet", "--heads", "--", t.local(address)}, plain: true, acts: true, limit: limit, with: personal(all)})
}

// outside returns a Tree that is in no repository.
func (t *Tree) outside() *Tree {
	root := filepath.VolumeName(t.Dir) + string(filepath.Separator)
	return &Tree{Dir: root, Program: t.Program, Limits: t.Limits}
}

// AskAsStranger reports whether a repository is readable without a key or
// password; an error means that this is unknown.
func (t *Tree) AskAsStranger(ctx context.Context, address string) (shown bool, err error) {
	_, err = t.outside().git(ctx, run{
		args: []string{"ls-remote", "--quiet", "--heads", "--", address}, plain: true, acts: true, stranger: true, limit: cmp.Or(t.Limits.Fetch, askLimit),
	})
	if errors.Is(err, ErrTimeout) || errors.Is(err, ErrMissing) || ctx.Err() != nil {
		return false, err
	}
	return err == nil, nil
}

// Strangers returns the addresses at which anyone could read a repository: none
// for a local one.
func Strangers(address string) []string {
	u, ok := parsed(address)
	if !ok {
		return nil
	}
	u.User = nil
	switch u.Scheme {
	case "http", "https", "git":
		return []string{u.String()}
	case "ssh", "git+ssh", "ssh+git":
		u.Host = u.Hostname()
		if strings.Contains(u.Host, ":") {
			u.Host = "[" + u.Host + "]"
		}
		var all []string
		for _, u.Scheme = range []string{"https", "git"} {
			all = append(all, u.String())
		}
		return all
	}
	return nil
}

// Shown is an address as it may be shown: without a password or a token, also one in the
// path, the query or the fragment.
func Shown(address string) string {
	shown := withoutLogin(address)
	_, rest, far := strings.Cut(shown, "://")
	if _, scp := parsed(shown); !far && !scp {
		return shown // a path on this machine
	}
	if !far {
		rest = shown
	}
	start := len(shown) - len(rest)
	end := len(shown)
	if n := strings.IndexAny(rest, "/:"); n >= 0 {
		end = start + n
	}
	host := start + 1 + strings.LastIndexByte(shown[start:end], '@')
	return withoutTokens(shown[:host]) + shown[host:end] + withoutTokens(shown[end:])
}

// withoutTokens replaces the parts of an address that read as tokens.
func withoutTokens(text string) string {
	return tokens().ReplaceAllStringFunc(text, func(part string) string {
		if strings.ContainsAny(part, "_-") || changes(part) >= tokenChanges {
			return "***"
		}
		return part
	})
}

// tokens matches those with a prefix of GitHub and GitLab, and what could be one without.
var tokens = lazyregexp.New(`(?:gh[opsur]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|oas|soat)-)[\w-]{16,}|[A-Za-z0-9]{20,}`)

// tokenChanges is how often letters and digits change in a token. Names with a number or
// a year in them have at most two changes.
const tokenChanges = 3

// changes counts how often a letter follows a digit, or a digit a letter.
func changes(text string) (n int) {
	for i := 1; i < len(text); i++ {
		if (text[i] <= '9') != (text[i-1] <= '9') {
			n++
		}
	}
	return n
}

// withoutLogin removes the password of an address, its query and its fragment.
func withoutLogin(address string) string {
	before, rest, far := strings.Cut(address, "://")
	if !far {
		if user, _, is := strings.Cut(address, "@"); is && strings.Contains(user, ":") && !strings.ContainsAny(user, `/\`) {
			return address[strings.LastIndexByte(address, '@')+1:] // no user's name has a colon: it is one with a password, which may have an @
		}
		return address
	}
	u, ok := parsed(address)
	if !ok { // no one can say what in it is secret
		if before != "file" {
			rest = strings.TrimLeft(rest, "/") // git and curl read the host behind any number of them
		}
		host, path, _ := strings.Cut(rest, "/")
		path, _, _ = strings.Cut(path, "?")
		path, _, _ = strings.Cut(path, "#")
		return before + "://" + host[1+strings.LastIndexByte(host, '@'):] + strings.TrimSuffix("/"+path, "/")
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	if _, secret := u.User.Password(); secret || u.User != nil && strings.HasPrefix(u.Scheme, "http") {
		u.User = nil
	}
	return u.String()
}

// parsed reads an address on another machine, also one such as git@example.org:kb.git.
func parsed(address string) (*url.URL, bool) {
	if !strings.Contains(address, "://") {
		host, path, ok := strings.Cut(address, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 {
			return nil, false
		}
		if user, at, is := strings.Cut(host, "@"); is {
			return &url.URL{Scheme: "ssh", User: url.User(user), Host: at, Path: "/" + strings.TrimPrefix(path, "/")}, at != ""
		}
		return &url.URL{Scheme: "ssh", Host: host, Path: "/" + strings.TrimPrefix(path, "/")}, true
	}
	u, err := url.Parse(address)
	return u, err == nil && u.Host != ""
}

// strangerSettings hide the user's credentials from git: passwords, keys, and
// alternative addresses.
var strangerSettings = []string{
	"-c", "credential.helper=", "-c", "http.extraHeader=", "-c", "protocol.file.allow=never", "-c", "protocol.ssh.allow=never",
}

// strangerEnvironment is that of somebody who has no home.
func strangerEnvironment(have []string) []string {
	have = slices.DeleteFunc(have, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK"}, strings.ToUpper(name))
	})
	none := filepath.Join(os.DevNull, "none")
	return append(have, "HOME="+none, "XDG_CONFIG_HOME="+none, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
}
