package space

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// A place is a directory with a space id in its policy file. Copies, clones and
// additional git worktrees have the id of the first place, and anybody can write it
// into a directory; nothing is written into them to distinguish them. The first
// place that a memory sees has the id; every other one is a separate space with an
// id derived from that id and its path. So the ids of its pages equal those of a
// rebuild that adds the same directories, starting with the same one.

// placed is the decision for a directory with a written id.
type placed struct {
	space kb.Space // Row is 0 for a new space
	from  string   // former location of a moved space, "" for others
	first *kb.Space
	away  bool // the first place is missing, and there is no evidence that it moved here

	// elsewhere is the space with the id that another machine writes and syncs. The
	// directory is a copy of its directory, and cannot be a space.
	elsewhere *kb.Space
}

// placesOf returns the spaces with a written id, including those of other machines:
// first the one that uses the id, then those in use, in the order in which they
// were added.
func placesOf(id kb.ID, all []kb.Space) []kb.Space {
	var out []kb.Space
	for _, s := range all {
		if s.Kind != kb.DatabaseSpace && s.Written() == id {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b kb.Space) int {
		return cmp.Or(isFirst(a, id)-isFirst(b, id), a.Forgotten.Compare(b.Forgotten), cmp.Compare(a.Row, b.Row))
	})
	return out
}

func isFirst(s kb.Space, id kb.ID) int {
	if s.ID == id {
		return 0
	}
	return 1
}

// placeState is the present state of a place.
type placeState int

const (
	here      placeState = iota // the place, as far as can be determined; also one on another machine
	gone                        // missing, or another space
	copied                      // as gone, and one of its files is in the examined directory
	moved                       // as copied, and the file has the same time: it was not written again
	sameFiles                   // the examined directory itself, under another path
)

// decidePlace decides whether a directory with an id belongs to a space that was
// moved there, or to a new one. look returns the state of a space's place.
// Forgotten spaces in all are restored at their place, and followed like those in
// use.
//
// An id proves nothing: anybody may have written it. So a space is only followed to
// a directory with one of its files. Worktrees are often created and deleted with
// the same files, so those of a second place must have been moved; the first place
// is followed to a fresh clone as well. A space is never followed to another
// machine: a person moves it.
func decidePlace(root string, id kb.ID, all []kb.Space, look func(kb.Space) placeState) placed {
	places := placesOf(id, all)
	var follow *kb.Space
	found := here
	var first *kb.Space
	away := false
	for i, s := range places {
		at := look(s)
		switch {
		case at == sameFiles:
			return placed{space: s}
		case at == moved && found != moved, at == copied && found == here && s.ID == id:
			follow, found = &places[i], at
		}
		if first == nil || !first.Forgotten.IsZero() && s.Forgotten.IsZero() {
			first, away = &places[i], at != here
		}
	}
	if follow != nil {
		p := placed{space: *follow, from: follow.Root}
		p.space.Root = root
		return p
	}
	if i := slices.IndexFunc(places, func(s kb.Space) bool { return s.Kind == kb.RemoteSpace && s.Forgotten.IsZero() }); i >= 0 {
		return placed{elsewhere: &places[i]}
	}
	p := placed{space: kb.Space{Kind: kb.DirectorySpace, Root: root}, first: first, away: away}
	taken := func(id kb.ID) bool { return slices.ContainsFunc(all, func(s kb.Space) bool { return s.ID == id }) }
	p.space.ID = id
	for n := 0; taken(p.space.ID); n++ {
		p.space.ID = placeID(id, root, n)
	}
	return p
}

// placeID returns the id of the space in a second place. It is the same in every
// memory; n counts earlier ones at the same path.
func placeID(id kb.ID, root string, n int) kb.ID {
	name := string(id) + "\x00" + filepath.ToSlash(root)
	if n > 0 {
		name += fmt.Sprintf("\x00%d", n)
	}
	return kb.ID(uuid.NewSHA1(spaceNamespace, []byte(name)).String())
}

// placeName returns the name of the space in a second place, NAME@PLACE: the first
// one's name, and the part of the path that distinguishes the two.
func placeName(first kb.Space, root string, taken func(string) bool) string {
	name, _, _ := strings.Cut(first.Name, "@")
	at := doc.Slug(kb.WithoutInvisible(apart(root, first.Root)))
	if at == "" {
		at = "copy"
	}
	out := name + "@" + at
	for n := 2; taken(out); n++ {
		out = fmt.Sprintf("%s@%s-%d", name, at, n)
	}
	return out
}

// apart returns the last element of a path that differs from another path: "wt"
// for /src/wt/docs next to /src/main/docs.
func apart(path, other string) string {
	last := filepath.Base(path)
	for filepath.Dir(path) != path {
		if base := filepath.Base(path); base != filepath.Base(other) {
			return base
		}
		path, other = filepath.Dir(path), filepath.Dir(other)
	}
	return last
}

// lookAt returns the state of a space's place, seen from the directory root with
// the same id.
func (r *Registry) lookAt(ctx context.Context, s kb.Space, root string) placeState {
	if s.Kind == kb.RemoteSpace {
		return here // it cannot be examined
	}
	if !s.Forgotten.IsZero() && r.Actor.Kind == kb.Agent {
		return here // an agent must not restore a space that a person forgot
	}
	was, err := os.Stat(s.Root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return r.without(ctx, s, root)
		}
		return here // it cannot be examined, which does not mean that it is missing
	}
	now, err := os.Stat(root)
	if err == nil && os.SameFile(was, now) {
		if real, err := fsys.Real(s.Root); err == nil && real == s.Root {
			return sameFiles
		}
		return moved // a link was left at the old path
	}
	text, err := r.policyOf(ctx, s.Root)
	if err != nil || text == nil {
		return here // for example, a disk is not mounted
	}
	if id := writtenID(text); id != "" && id != s.Written() {
		return r.without(ctx, s, root)
	}
	return here
}

// without decides whether a missing space moved to the directory root: one of its
// documents is there, with the same bytes. Moving a directory keeps the file's time
// as well; a clone has a new one. Empty files are common and prove nothing, and
// neither does a space without documents.
func (r *Registry) without(ctx context.Context, s kb.Space, root string) placeState {
	var known []store.FileState
	err := r.DB.View(ctx, func(tx store.Tx) (err error) {
		if s.Forgotten.IsZero() {
			known, err = tx.Documents().States(ctx, s.Row)
		} else {
			known, err = tx.Spaces().ForgottenStates(ctx, s.Row)
		}
		return err
	})
	if err != nil {
		return gone
	}
	d, err := fsys.OpenDir(root)
	if err != nil {
		return gone
	}
	defer d.Close() // opened for reading only
	files, found := r.files(d), gone
	for _, f := range known {
		info, err := files.Lstat(f.Path)
		if err != nil || f.Size == 0 || info.Size() != f.Size || found == copied && !info.ModTime().Equal(f.ModTime) {
			continue
		}
		text, info, err := fsys.ReadFile(ctx, files, f.Path, f.Size)
		if err != nil || index.Hash(text) != f.Hash {
			continue
		}
		if info.ModTime().Equal(f.ModTime) {
			return moved
		}
		found = copied
	}
	return found
}

// moveHere assigns the directory root to the known space with its id, which is
// missing at its old path: a person states that it was moved there. A separate
// space of this directory is forgotten. A dry run only finds the space.
func (r *Registry) moveHere(ctx context.Context, root string, dryRun bool) (p placed, err error) {
	if err := PersonOnly(r.Actor, "space add "+safetext.Word(root)+" --moved", "move a space to another directory"); err != nil {
		return p, err
	}
	text, err := r.policyOf(ctx, root)
	if err != nil {
		return p, err
	}
	all, err := r.withForgotten(ctx)
	if err != nil {
		return p, err
	}
	var own *kb.Space
	id := writtenID(text)
	places := placesOf(id, all)
	for _, s := range places {
		switch {
		case s.Root == root:
			if s.Forgotten.IsZero() {
				own = &s
			}
		case p.first == nil && r.lookAt(ctx, s, root) != here:
			p = placed{space: s, from: s.Root, first: &s}
		}
	}
	if p.first == nil {
		if i := slices.IndexFunc(places, func(s kb.Space) bool { return s.Kind == kb.RemoteSpace }); i >= 0 && own == nil {
			return p, copyOf(places[i], root)
		}
		return p, kb.Errorf(kb.NotFound, "no known space with the id of %s is away from its directory", root).
			WithHint("Nothing was changed. Added as any other directory, it becomes a space of its own.")
	}
	p.space.Root = root
	if !p.space.Forgotten.IsZero() {
		if p.space.Name, err = r.freeName(ctx, "", "", p.space.Name, 0); err != nil {
			return p, err
		}
	}
	if dryRun {
		return p, nil
	}
	if own != nil {
		unlock, err := r.Lock(ctx, *own)
		if err != nil {
			return p, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	return p, r.DB.Update(ctx, func(tx store.Tx) error {
		if own != nil {
			if err := r.Index.ForgetSpace(ctx, tx, *own, r.Now()); err != nil {
				return err
			}
		}
		update := tx.Spaces().Update
		if !p.space.Forgotten.IsZero() {
			update = tx.Spaces().Return
		}
		if err := update(ctx, p.space); err != nil {
			return err
		}
		return r.Index.SettleSpaces(ctx, tx)
	})
}

// withForgotten returns all spaces, by name, then the forgotten ones.
func (r *Registry) withForgotten(ctx context.Context) (all []kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		if all, err = r.AllTx(ctx, tx); err != nil {
			return err
		}
		old, err := tx.Spaces().Forgotten(ctx)
		all = append(all, old...)
		return err
	})
	return all, err
}

// writtenID returns the id in a policy, "" for none or an unreadable policy.
func writtenID(text []byte) kb.ID {
	pol, err := policy.Parse(text)
	if err != nil {
		return ""
	}
	id, _ := kb.ParseID(pol.ID)
	return id
}

// note describes the decision for a directory with an id in one line.
func (p placed) note() string {
	switch {
	case !p.space.Forgotten.IsZero():
		return againNote(p.space)
	case p.from != "":
		return fmt.Sprintf("%s was in %s and is in %s now", p.space.Name, p.from, p.space.Root)
	case p.away:
		return fmt.Sprintf("%s has the id of %s but none of its files: it is a space of its own, %s (if %s was moved there: cairn space add %s --moved)",
			p.space.Root, p.first.Name, p.space.Name, p.first.Name, safetext.Word(p.space.Root))
	case p.first != nil && !p.first.Forgotten.IsZero():
		return fmt.Sprintf("%s has the id of %s, which was forgotten on %s: it is a space of its own, %s",
			p.space.Root, p.first.Name, p.first.Forgotten.UTC().Format(time.DateOnly), p.space.Name)
	case p.first != nil:
		return fmt.Sprintf("%s has the same .cairn/space.toml as %s in %s: it is a space of its own, %s",
			p.space.Root, p.first.Name, p.first.Root, p.space.Name)
	}
	return ""
}

// copyOf rejects a directory with the id of a space that another machine writes and
// syncs: each would mistake the other's files for its own.
func copyOf(s kb.Space, root string) error {
	return kb.Errorf(kb.Refused, "%s is a copy of the space %s, which is written and synced on the host %s, in %s", root, s.Name, s.Host, s.There).
		WithHint("Nothing was changed.").WithReason(kb.SpaceCopied).WithFact("space", s.Name).WithFact("host", s.Host)
}

// enclosingSpace returns the space of the nearest directory around the working
// directory with the id of a known space: the space there, a second place of it, or
// one that moved there, which it adds. The path must be longer than deeper. A
// directory with an unknown id is not attached: it must be added explicitly. A copy
// of another machine's space is not a space.
func (r *Registry) enclosingSpace(ctx context.Context, all []kb.Space, deeper int) (kb.Space, bool, error) {
	if r.Place.Dir == "" || !slices.ContainsFunc(all, func(s kb.Space) bool { return s.Kind == kb.DirectorySpace && s.Policy == nil }) {
		return kb.Space{}, false, nil
	}
	dirs := pathsOf(r.Place.Dir)
	root := nearest(dirs[len(dirs)-1], pathsOf(r.Place.Home))
	if root == "" || len(filepath.ToSlash(root)) <= deeper || slices.ContainsFunc(all, func(s kb.Space) bool { return s.Root == root }) {
		return kb.Space{}, false, nil
	}
	text, err := r.policyOf(ctx, root)
	if err != nil || text == nil {
		return kb.Space{}, false, nil // no space, as far as can be determined
	}
	if id := writtenID(text); id == "" || len(placesOf(id, all)) == 0 {
		return kb.Space{}, false, nil
	}
	s, note, added, err := r.attach(ctx, root)
	if err != nil {
		if kb.AsError(err).Reason == kb.SpaceCopied {
			err = nil
		}
		return kb.Space{}, false, err
	}
	if added && r.Tell != nil {
		pol, _, err := r.Policy(ctx, s, nil)
		if err != nil {
			return kb.Space{}, false, err
		}
		for _, line := range append(notes(note), notes(Unaccepted(s, pol))...) {
			r.Tell(line)
		}
	}
	return s, true, nil
}

// nearest returns dir or the first directory above it with a policy file, "" for
// none. The home directory and the root never count.
func nearest(dir string, homes []string) string {
	for filepath.Dir(dir) != dir && !slices.Contains(homes, dir) {
		if info, err := os.Lstat(filepath.Join(dir, policy.FileName)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// elsewhere rejects a directory with another id than the space that was added
// there: it belongs to another space, and a sync would treat the space's pages as
// deleted.
func elsewhere(s kb.Space, pol *policy.Policy) error {
	id, ok := kb.ParseID(pol.ID)
	if s.Policy != nil || s.Origin == "" || !ok || id == s.Origin {
		return nil
	}
	return kb.Errorf(kb.Conflict, "%s holds another space than %s, which was added there", s.Root, s.Name).
		WithHint("Nothing was changed. Add %s where it is now, or remove it from the memory.", s.Name).
		With("space", s.Name).With("id", string(id))
}
