package command

import (
	"context"
	"errors"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/login"
)

// Files of the web UI, next to the memory.
const (
	AddressFile = ".address" // where a server says at which address it is
	loginFile   = ".login.html"
	TicketsDir  = ".tickets" // the sign-ins that are used up
)

// BesideMemory is the path of a file of the web UI.
func BesideMemory(o space.Place, name string) (string, error) {
	path, err := space.TokenPath(o)
	return strings.TrimSuffix(path, ".token") + name, err
}

// PageAt is the path of a page. The server accepts no semicolon in a path that a link leads
// to: in the page that leads there it would end the address.
func PageAt(ref string) string {
	return "/page/" + strings.ReplaceAll((&url.URL{Path: ref}).EscapedPath(), ";", "%3B")
}

// ReadAddress returns the address of the last server, "" if there was none.
func ReadAddress(o space.Place) (string, error) {
	path, err := BesideMemory(o, AddressFile)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	address, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(address), err
}

// WebAddress returns the address of the server of the web UI that runs for the memory, "" for
// none.
func (p *Program) WebAddress(ctx context.Context, o space.Place) (string, error) {
	address, err := ReadAddress(o)
	if err != nil || address == "" || p.Env.Reaches == nil {
		return "", err
	}
	if secret, err := space.ReadToken(o, ""); err != nil || !p.Env.Reaches(ctx, address, secret) {
		return "", nil // the server that left the address is gone
	}
	return address, nil
}

// WebLink returns a link to a path of the web UI that signs a person in, once. The server is
// reached at public where that is not empty.
func (p *Program) WebLink(ctx context.Context, opts memory.Options, address, public, at string) (string, error) {
	// The server has made the token, and the directory of the memory before it.
	secret, err := space.ReadToken(opts.Place, "")
	if err != nil {
		return "", err
	}
	base := public
	if base == "" {
		_, port, _ := strings.Cut(address, ":")
		if strings.HasPrefix(address, "[") {
			port = address[strings.LastIndexByte(address, ':')+1:]
		}
		host, err := space.MakeHost(ctx, opts.Place, login.Host, login.IsHost)
		if err != nil {
			return "", err
		}
		base = "http://" + host + ":" + port
	}
	ticket := login.New(secret, login.Link, opts.Actor, p.Env.Now())
	return strings.TrimSuffix(base, "/") + "/login?" + url.Values{"ticket": {ticket}, "to": {at}}.Encode(), nil
}

// OpenWeb leads the browser to a link through a file that only the person can read: other
// users see the arguments of programs.
func (p *Program) OpenWeb(ctx context.Context, o space.Place, link string) error {
	path, err := BesideMemory(o, loginFile)
	if err != nil {
		return err
	}
	page := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>cairn</title>` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><a href="` + html.EscapeString(link) + `">Open cairn</a>` + "\n"
	if err := WritePrivate(ctx, path, page); err != nil {
		return err
	}
	if err := p.Env.Browse(ctx, path); err != nil {
		return kb.Errorf(kb.Internal, "no browser could be opened: %w", err).WithHint("cairn web --print prints the link.")
	}
	return nil
}

// WritePrivate replaces a file that only its owner can read.
func WritePrivate(ctx context.Context, path, text string) error {
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err != nil {
		return fsys.Explain(err, "write %s", path)
	}
	err = fsys.RemoveDurable(ctx, d, filepath.Base(path), fsys.Any())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = fsys.WriteAtomic(ctx, d, filepath.Base(path), []byte(text), fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return fsys.Explain(err, "write %s", path)
	}
	return nil
}
