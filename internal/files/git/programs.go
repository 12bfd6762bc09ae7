package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Program is something in a repository that makes git run a program or contact a remote.
type Program struct {
	Kind  ProgramKind
	Name  string // of the setting, the hook or the file
	Value string // of the setting or the attribute; of a hook the hash of its bytes
}

// ProgramKind is where the repository names the program.
type ProgramKind string

// The kinds of programs.
const (
	Setting   ProgramKind = "setting"   // of the configuration of the repository, or a file that does the same
	Hook      ProgramKind = "hook"      // a file in the hooks directory
	Attribute ProgramKind = "attribute" // a line that assigns a filter, merge or diff program to files
	Remote    ProgramKind = "remote"    // an address to fetch from or push to
)

// Programs lists everything in a repository that can run a program or contact a remote.
type Programs struct {
	All  []Program // in a fixed order
	Hash string    // of all; "" where there are none
}

// Runs reports whether any of them can run without contacting a remote.
func (p *Programs) Runs() bool {
	return slices.ContainsFunc(p.All, func(p Program) bool { return p.Kind != Remote })
}

// maxShown is how many bytes of the file of a former remote are shown.
const maxShown = 400

// String names them, the addresses of remotes without credentials.
func (p *Programs) String() string {
	var names []string
	for _, one := range p.All {
		name := one.Name
		if section, rest, is := strings.Cut(name, "."); is { // url.ADDRESS.insteadof
			name = section + "." + shownIn(rest)
		}
		if one.Kind == Hook {
			name = "hook " + name
		}
		switch {
		case one.Kind == Remote:
			name += " " + Shown(one.Value)
		case strings.HasPrefix(name, "remotes/"), strings.HasPrefix(name, "branches/"): // files with addresses
			text := shownIn(strings.Join(strings.Fields(one.Value), " "))
			name += " " + strings.ToValidUTF8(text[:min(maxShown, len(text))], "")
		}
		names = append(names, name)
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// harmless lists the sections and keys of a repository's configuration that name neither
// a program nor an address. Every other setting counts, including those of future versions
// of git.
var harmless = []string{
	"advice", "branch", "color", "column", "commit", "extensions.objectformat", "extensions.worktreeconfig", "fetch", "format", "gc", "i18n", "index", "init",
	"log", "maintenance", "merge.conflictstyle", "merge.ff", "merge.renames", "pack", "pull", "push", "rebase", "receive", "rerere", "stash", "status", "tag", "user",
	"core.abbrev", "core.autocrlf", "core.bare", "core.bigfilethreshold", "core.checkstat", "core.commentchar", "core.compression", "core.eol", "core.filemode",
	"core.fscache", "core.ignorecase", "core.logallrefupdates", "core.longpaths", "core.precomposeunicode", "core.protecthfs", "core.protectntfs", "core.quotepath",
	"core.repositoryformatversion", "core.safecrlf", "core.sharedrepository", "core.sparsecheckout", "core.sparsecheckoutcone", "core.splitindex", "core.symlinks",
	"core.trustctime", "core.untrackedcache", "core.whitespace", "diff.algorithm", "diff.renames", "diff.mnemonicprefix",
}

// acts reports whether a setting can name a program or an address.
func (s setting) acts() bool {
	section, name, last := named(s.key)
	switch {
	case section == "remote" && slices.Contains([]string{"fetch", "push", "mirror", "prune", "skipdefaultupdate", "skipfetchall", "tagopt", "prunetags"}, last):
		return false
	case section == "merge" && name == driver: // as Drive sets it
		return last != "name" && (last != "driver" || s.value != driven)
	case section == "branch" && (last == "remote" || last == "pushremote"):
		return strings.ContainsAny(s.value, `/:\`) // an address instead of a name
	case s.key == "gc.recentobjectshook", s.key == "fetch.bundleuri":
		return true
	}
	return !slices.Contains(harmless, section) && !slices.Contains(harmless, s.key)
}

// maxHook is the largest hook whose bytes are hashed; for a larger one size and time count.
const maxHook = 1 << 20

// Programs lists the programs and remotes that the repository names. It runs none of them.
func (t *Tree) Programs(ctx context.Context, r *Repo) (*Programs, error) {
	if err := t.know(ctx, r); err != nil {
		return nil, err
	}
	p := &Programs{}
	for _, s := range r.settings {
		if !s.ofRepository() || !s.acts() {
			continue
		}
		kind := Setting
		if section, _, last := named(s.key); section == "remote" && (last == "url" || last == "pushurl") && CheckRemote(s.value) == nil {
			kind = Remote
		}
		p.All = append(p.All, Program{kind, s.key, s.value})
	}
	if err := errors.Join(p.hooks(r), p.formerRemotes(r)); err != nil {
		return nil, err
	}
	for _, at := range []string{filepath.Join(r.Top, ".gitattributes"), filepath.Join(r.Common, "info", "attributes")} {
		text, err := fsys.ReadRegular(at, maxHook)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotRegular) {
				continue
			}
			return nil, fsys.Explain(err, "read %s", at)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); p.attributes(line) {
				p.All = append(p.All, Program{Attribute, filepath.Base(at), line})
			}
		}
	}
	if len(p.All) > 0 {
		sum := sha256.New()
		for _, one := range p.All {
			fmt.Fprintf(sum, "%q %q %q\n", one.Kind, one.Name, one.Value)
		}
		p.Hash = hex.EncodeToString(sum.Sum(nil))
	}
	return p, nil
}

// attributes reports whether a line of attributes refers to a program from the repository's
// configuration.
func (p *Programs) attributes(line string) bool {
	if strings.HasPrefix(line, "#") {
		return false
	}
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		kind, name, _ := strings.Cut(word, "=")
		return slices.ContainsFunc(p.All, func(one Program) bool {
			return one.Kind == Setting && name != "" && strings.HasPrefix(one.Name, kind+"."+name+".")
		})
	})
}

// hooks adds the hooks that are in the repository or its work tree.
func (p *Programs) hooks(r *Repo) error {
	if !within(r.Hooks, r.Top) && !within(r.Hooks, r.Common) {
		return nil // the user's own, for all repositories
	}
	found, err := os.ReadDir(r.Hooks)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || !isDir(r.Hooks) {
			return nil
		}
		return fsys.Explain(err, "read %s", r.Hooks)
	}
	for _, e := range found {
		at := filepath.Join(r.Hooks, e.Name())
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(at) == ".sample" {
			continue
		}
		value := fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC())
		if text, err := fsys.ReadRegular(at, maxHook); err == nil {
			sum := sha256.Sum256(text)
			value = hex.EncodeToString(sum[:])
		}
		p.All = append(p.All, Program{Hook, e.Name(), value})
	}
	return nil
}

// formerRemotes adds the files in which old versions of git keep remotes. Present ones use them
// for a remote that the configuration does not have.
func (p *Programs) formerRemotes(r *Repo) error {
	for _, dir := range []string{"remotes", "branches"} {
		found, err := os.ReadDir(filepath.Join(r.Common, dir))
		if err != nil && isDir(filepath.Join(r.Common, dir)) {
			return fsys.Explain(err, "read %s", filepath.Join(r.Common, dir))
		}
		for _, e := range found {
			text, err := fsys.ReadRegular(filepath.Join(r.Common, dir, e.Name()), maxHook)
			if errors.Is(err, fsys.ErrNotRegular) {
				continue
			}
			if err != nil {
				return fsys.Explain(err, "read the remote %s", e.Name())
			}
			p.All = append(p.All, Program{Setting, dir + "/" + e.Name(), string(text)})
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	in, err := filepath.Rel(dir, path)
	return err == nil && in != ".." && !strings.HasPrefix(in, ".."+string(filepath.Separator))
}

// Consent is what a person accepted. A repository without programs needs none. A Consent
// is used for one operation.
type Consent struct {
	// Accepted returns the hashes of the Programs that a person accepted.
	Accepted func(ctx context.Context) (hashes []string, err error)

	texts sync.Map // directories of the Trees that passed permitTexts
}

// permit refuses, as kb.Refused, to run git where it could start programs that nobody
// accepted. far means that the run contacts a remote. A Tree without a Consent permits all.
func (t *Tree) permit(ctx context.Context, r *Repo, far bool) error {
	if t.Consent == nil {
		return nil
	}
	if r == nil {
		var err error
		if r, err = t.Open(ctx); err != nil {
			return err
		}
	}
	p, err := t.Programs(ctx, r)
	if err != nil || p.Hash == "" || !far && !p.Runs() {
		return err
	}
	if accepted, err := t.Consent.Accepted(ctx); err != nil || slices.Contains(accepted, p.Hash) {
		return err
	}
	return kb.Errorf(kb.Refused, "the git repository of %s names programs or remotes that nobody accepted: %s", t.Dir, p).
		WithHint("Nothing was run.").WithReason(kb.GitPrograms).WithFact("root", t.Dir)
}

// permitTexts is permit for Text, checked once for many files.
func (t *Tree) permitTexts(ctx context.Context) error {
	if t.Consent == nil {
		return nil
	}
	if _, known := t.Consent.texts.Load(t.Dir); known {
		return nil
	}
	err := t.permit(ctx, nil, false)
	if err == nil {
		t.Consent.texts.Store(t.Dir, true)
	}
	return err
}
