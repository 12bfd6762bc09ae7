package space

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/presets"
)

// newID returns a random id.
func newID() kb.ID { return kb.ID(uuid.NewString()) }

// AddRequest is a request to add a space.
type AddRequest struct {
	Root   string // directory; "" for a database space
	Name   string // "" for the directory's name
	Preset string // "" for notes, or memory in the database; a directory with another preset is refused

	// Preferred is the preset for a directory without a policy.
	Preferred string
	Database  bool

	Description string // the subject of the space in one line
	DryRun      bool

	// Accept accepts the policy that comes with the directory; see policy.Within. A
	// policy written by cairn is accepted thereby.
	Accept bool

	// Moved states that the directory is the space with its id, moved from
	// elsewhere, although no file in it proves that.
	Moved bool

	Init   bool   // create a git repository in the directory, with the pages of the preset
	Remote string // URL to which the repository is pushed

	// Allowed means that MayAttach passed before the repository was created.
	Allowed bool
}

// Foreseen returns the policy of a directory, or the one that it would be added
// with.
func Foreseen(ctx context.Context, r *Registry, req AddRequest) (*policy.Policy, error) {
	root, err := r.realDir(req.Root)
	var text []byte
	switch {
	case err == nil:
		text, err = r.policyOf(ctx, root)
	case kb.CodeOf(err) == kb.NotFound:
		err = nil
	}
	if err == nil && text == nil {
		text, err = policyText(cmp.Or(req.Preset, req.Preferred, defaultPreset), "", "")
	}
	if err != nil {
		return nil, err
	}
	return policy.Parse(text)
}

// Add adds a directory, into which it only writes .cairn/space.toml, or a space in
// the database. A directory with a policy file is added with that policy; one that
// is already attached gets its file now.
func (r *Registry) Add(ctx context.Context, req AddRequest) (api.Space, error) {
	if req.Root == "" && !req.Database {
		return api.Space{}, kb.Errorf(kb.Usage, "a space needs a directory, or --database").
			WithReason(kb.NoSpaceDirectory)
	}
	if req.Database {
		return r.addDatabaseSpace(ctx, req)
	}
	root, err := r.realDir(req.Root)
	if err != nil {
		return api.Space{}, err
	}
	if !req.Allowed {
		if err := r.mayAttach(ctx, root, req); err != nil {
			return api.Space{}, err
		}
	}
	if req.Accept {
		if err := PersonOnly(r.Actor, "space add "+safetext.Word(root)+" --accept", "accept the policy of a directory"); err != nil {
			return api.Space{}, err
		}
	}
	var (
		s    kb.Space
		text []byte
		note string
	)
	var moved placed
	if req.Moved {
		if moved, err = r.moveHere(ctx, root, req.DryRun); err != nil {
			return api.Space{}, err
		}
	}
	for try := 0; ; try++ {
		if s, text, note, err = r.prepare(ctx, root, req); err != nil {
			return api.Space{}, err
		}
		if req.Moved {
			note = moved.note()
		}
		if req.DryRun {
			if req.Moved {
				s = moved.space
			}
			out, err := r.planned(ctx, s, text)
			out.Notes = notes(note)
			return out, err
		}
		err := r.save(ctx, &s)
		if err == nil {
			break
		}
		if kb.CodeOf(err) != kb.Conflict || try == maxRaces {
			return api.Space{}, err
		}
	}
	out, err := r.Show(ctx, s.Name)
	if err != nil {
		return api.Space{}, err
	}
	pol, _, err := r.Policy(ctx, s, nil)
	if err != nil {
		return api.Space{}, err
	}
	if err := AddLines(ctx, r, root, vault.IgnoreFile, pol.Outside()); err != nil {
		return api.Space{}, err
	}
	if req.Accept {
		if err := r.acceptBeside(ctx, s); err != nil {
			return api.Space{}, err
		}
		out.Waiting = nil
	}
	if len(out.Waiting) > 0 {
		out.Accept = func(ctx context.Context) error { return r.Accept(ctx, s.Name, text) }
	}
	out.Notes, out.Warnings = notes(note), r.diskWarnings(root)
	out.Returned = !s.Forgotten.IsZero() || req.Moved && !moved.space.Forgotten.IsZero()
	return out, nil
}

// MayAttach makes the checks of Add before a change, for a directory that may not
// exist yet: whether the actor may make it a space.
func (r *Registry) MayAttach(ctx context.Context, dir string, req AddRequest) error {
	root, err := Resolved(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	return r.mayAttach(ctx, root, req)
}

// OnlyPersonsName allows only a person to set a remote.
func OnlyPersonsName(actor kb.Actor, remote string) error {
	if remote == "" || actor.Kind == kb.Human {
		return nil
	}
	return kb.Errorf(kb.Refused, "only a person says to which remote a space is pushed").WithHint("Nothing was changed. Ask the user to set it.")
}

// mayAttach does not allow an agent to add a directory with files, to change a
// known space, to add a directory inside or above another space, since the rules of
// that space apply to its files, or to add a space that would commit to an existing
// repository.
func (r *Registry) mayAttach(ctx context.Context, root string, req AddRequest) error {
	if r.Actor.Kind != kb.Agent {
		return nil
	}
	all, err := r.All(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Root == root {
			if req.Name != "" && req.Name != s.Name || req.Description != "" {
				return PersonOnly(r.Actor, "space add "+safetext.Word(root), "rename or describe the space "+s.Name)
			}
			if req.Init && git.Above(root) != root {
				return PersonOnly(r.Actor, "space add "+safetext.Word(root)+" --init", "make a git repository of the space "+s.Name)
			}
			return nil // it is already that space
		}
	}
	if s, ok := overlapping(all, root); ok {
		return PersonOnly(r.Actor, "space add "+safetext.Word(root), "make a space inside or above the space "+s.Name)
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsys.Explain(err, "read %s", root)
	}
	if len(entries) > 0 {
		return PersonOnly(r.Actor, "space add "+safetext.Word(root), "attach a directory that holds files")
	}
	if top := git.Above(root); top != "" {
		pol, err := Foreseen(ctx, r, req)
		if err != nil {
			return err
		}
		if pol.Guard.Commit {
			return PersonOnly(r.Actor, "space add "+safetext.Word(root), "make a space that commits to the git repository in "+top)
		}
	}
	return MayPut(ctx, r.Actor, r.Place, root, "space add "+safetext.Word(root))
}

// within reports whether a directory is below another.
func within(dir, above string) bool {
	rel, err := filepath.Rel(above, dir)
	return err == nil && filepath.IsLocal(rel)
}

// maxRaces is the number of attempts to prepare a space while another process
// adds one.
const maxRaces = 10

func notes(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// planned describes the space that would result from this policy.
func (r *Registry) planned(ctx context.Context, s kb.Space, text []byte) (api.Space, error) {
	pol, err := policy.Parse(text)
	if err != nil {
		return api.Space{}, err
	}
	if s.Root != "" && !bytes.Equal(s.Accepted, text) {
		if pol, err = asAccepted(pol, s, nil); err != nil {
			return api.Space{}, err
		}
	}
	return r.shown(ctx, s, pol, text)
}

// diskWarnings returns warnings about the disks of a directory and of the memory
// that will depend on them.
func (r *Registry) diskWarnings(root string) []string {
	dirs := []string{root}
	if db, ok := r.DB.(store.FileBacked); ok {
		dirs = append(dirs, filepath.Dir(db.Path()))
	}
	var out []string
	for _, dir := range dirs {
		if c := r.CheckDisk("", dir); c.State != "ok" {
			out = append(out, c.Reason+": "+c.Remedy)
		}
	}
	return out
}

// prepare creates the record of a directory space and writes its policy file,
// unless it has one or this is a dry run. It also returns the policy's text and
// notes for the caller.
func (r *Registry) prepare(ctx context.Context, root string, req AddRequest) (s kb.Space, text []byte, note string, err error) {
	s, known, err := r.byRoot(ctx, root)
	if err != nil {
		return s, nil, "", err
	}
	if text, err = r.policyOf(ctx, root); err != nil {
		return s, nil, "", err
	}
	if !known {
		s = kb.Space{Kind: kb.DirectorySpace, Root: root, Created: r.Now()}
	}
	if text != nil {
		s, note, err = r.adopt(ctx, s, req, text)
		return s, text, note, err
	}
	if !known {
		old, forgotten, err := r.forgottenHere(ctx, root)
		if err != nil {
			return s, nil, "", err
		}
		if forgotten {
			s, note = old, againNote(old)
		}
	}
	preset := cmp.Or(req.Preset, req.Preferred, defaultPreset)
	if s.ID == "" {
		s.ID = newID()
	}
	had, fallback := s.Name, filepath.Base(root)
	if !s.Forgotten.IsZero() {
		had, fallback = "", s.Name
	}
	if s.Name, err = r.freeName(ctx, req.Name, had, fallback, s.Row); err != nil {
		return s, nil, "", err
	}
	if text, err = r.policyFor(ctx, root, preset, s.ID, s.Name); err != nil {
		return s, nil, "", err
	}
	if text, err = described(text, req.Description); err != nil {
		return s, nil, "", err
	}
	s.Policy, s.Origin, s.Accepted = nil, s.ID, text
	if req.DryRun {
		return s, text, note, nil
	}
	return s, text, note, r.writePolicy(ctx, root, text)
}

// adopt uses the policy file of a directory for the known space or, if its Row is
// 0, for the space named in the file. It also returns notes for the caller.
func (r *Registry) adopt(ctx context.Context, s kb.Space, req AddRequest, text []byte) (_ kb.Space, note string, err error) {
	pol, err := policy.Parse(text)
	if err != nil {
		return s, "", err
	}
	if err := elsewhere(s, pol); err != nil {
		return s, "", err
	}
	if req.Preset != "" && req.Preset != pol.Preset {
		return s, "", kb.Errorf(kb.Conflict, "%s has the preset %q already", filepath.Join(s.Root, policy.FileName), pol.Preset).
			WithHint("Nothing was changed. Edit the file to change the space's policy.")
	}
	if req.Description != "" && req.Description != pol.Description {
		return s, "", kb.Errorf(kb.Conflict, "%s has a description already", filepath.Join(s.Root, policy.FileName)).
			WithHint("Nothing was changed. Add the space without a description, and set it then.")
	}
	all, err := r.withForgotten(ctx)
	if err != nil {
		return s, "", err
	}
	id, written := kb.ParseID(pol.ID)
	p := placed{space: s}
	switch {
	case s.Row != 0: // it keeps its present id
	case written:
		p = decidePlace(s.Root, id, all, func(other kb.Space) placeState { return r.lookAt(ctx, other, s.Root) })
		if p.elsewhere != nil {
			return s, "", copyOf(*p.elsewhere, s.Root)
		}
		if p.space.Row == 0 {
			p.space.Created = s.Created
		}
	default:
		old, forgotten, err := r.forgottenHere(ctx, s.Root)
		if err != nil {
			return s, "", err
		}
		p.space.ID = derivedSpaceID(s.Root, r.Place.ThisHost(), all)
		if forgotten {
			p.space = old
		}
	}
	p.space.Policy, p.space.Origin = nil, id
	if req.Accept {
		p.space.Accepted = text
	}
	switch {
	case !p.space.Forgotten.IsZero():
		p.space.Name, err = r.freeName(ctx, req.Name, "", p.space.Name, 0)
	case p.first != nil && p.first.Forgotten.IsZero() && p.space.ID != id && req.Name == "":
		p.space.Name = placeName(*p.first, p.space.Root, takenBy(inUse(all)))
	case pol.Name != "":
		p.space.Name, err = r.freeName(ctx, req.Name, p.space.Name, pol.Name, p.space.Row)
	default:
		p.space.Name, err = r.freeName(ctx, req.Name, p.space.Name, filepath.Base(s.Root), p.space.Row)
	}
	return p.space, p.note(), err
}

// inUse removes the forgotten spaces.
func inUse(all []kb.Space) []kb.Space {
	return slices.DeleteFunc(slices.Clone(all), func(s kb.Space) bool { return !s.Forgotten.IsZero() })
}

// takenBy returns the space with a name, ignoring case, if any.
func takenBy(all []kb.Space) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(all, func(s kb.Space) bool { return strings.EqualFold(s.Name, name) })
	}
}

func (r *Registry) addDatabaseSpace(ctx context.Context, req AddRequest) (api.Space, error) {
	if req.Root != "" {
		return api.Space{}, kb.Errorf(kb.Usage, "a database space has no directory")
	}
	preset := req.Preset
	if preset == "" {
		preset = databasePreset
	}
	name, err := r.freeName(ctx, req.Name, "", preset, 0)
	if err != nil {
		return api.Space{}, err
	}
	s := kb.Space{ID: newID(), Name: name, Kind: kb.DatabaseSpace, Created: r.Now()}
	if s.Policy, err = policyText(preset, "", ""); err != nil {
		return api.Space{}, err
	}
	if s.Policy, err = described(s.Policy, req.Description); err != nil {
		return api.Space{}, err
	}
	if req.DryRun {
		return r.planned(ctx, s, s.Policy)
	}
	if err := r.save(ctx, &s); err != nil {
		return api.Space{}, err
	}
	return r.Show(ctx, s.Name)
}

// described adds a description to the text of a policy, if there is one.
func described(text []byte, description string) ([]byte, error) {
	if description == "" {
		return text, nil
	}
	return policy.Set(text, "description", description)
}

// Attach returns the space of a directory: an existing one, or a new one with its
// policy in the memory. It writes nothing to the directory. The pages in the answer
// are not counted; In makes it the current space.
func (r *Registry) Attach(ctx context.Context, dir string) (api.Space, error) {
	root, err := r.realDir(dir)
	if err != nil {
		return api.Space{}, err
	}
	if _, known, err := r.byRoot(ctx, root); err != nil {
		return api.Space{}, err
	} else if !known {
		if err := PersonOnly(r.Actor, "space add "+safetext.Word(root), "attach a directory"); err != nil {
			return api.Space{}, err
		}
	}
	s, note, added, err := r.attach(ctx, root)
	if err != nil {
		return api.Space{}, err
	}
	pol, _, err := r.Policy(ctx, s, nil)
	if err == nil {
		err = elsewhere(s, pol)
	}
	if err != nil {
		return api.Space{}, err
	}
	out := r.describe(s, pol, 0, false)
	out.Notes = notes(note)
	if added {
		out.Warnings = notes(Unaccepted(s, pol))
	}
	return out, nil
}

// attach returns the space of a directory, given by its resolved path, whether it
// was added, and a note for the caller.
func (r *Registry) attach(ctx context.Context, root string) (s kb.Space, note string, added bool, err error) {
	for try := 0; ; try++ {
		s, known, err := r.byRoot(ctx, root)
		if err != nil || known {
			return s, "", false, err
		}
		if s, note, err = r.attachNew(ctx, root); err != nil || s.Root != root {
			return s, "", false, err
		}
		if err = r.save(ctx, &s); err == nil {
			return s, note, true, nil
		}
		if kb.CodeOf(err) != kb.Conflict || try == maxRaces {
			return s, "", false, err
		}
	}
}

func (r *Registry) attachNew(ctx context.Context, root string) (_ kb.Space, note string, err error) {
	s := kb.Space{Kind: kb.DirectorySpace, Root: root, Created: r.Now()}
	text, err := r.policyOf(ctx, root)
	if err != nil {
		return s, "", err
	}
	if text != nil {
		return r.adopt(ctx, s, AddRequest{}, text)
	}
	old, forgotten, err := r.forgottenHere(ctx, root)
	if err != nil {
		return s, "", err
	}
	if forgotten {
		old.Name, err = r.freeName(ctx, "", "", old.Name, 0)
		return old, againNote(old), err
	}
	if s.ID, err = r.newDerivedID(ctx, root); err != nil {
		return s, "", err
	}
	if s.Policy, err = r.policyFor(ctx, root, defaultPreset, "", ""); err != nil {
		return s, "", err
	}
	s.Name, err = r.freeName(ctx, "", "", filepath.Base(root), 0)
	return s, "", err
}

// freeName returns a name that no other space has: the requested or previous one
// unchanged, else fallback with a number if needed.
func (r *Registry) freeName(ctx context.Context, asked, had, fallback string, row int64) (string, error) {
	all, err := r.All(ctx)
	if err != nil {
		return "", err
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(s kb.Space) bool { return s.Row != row && strings.EqualFold(s.Name, name) })
	}
	if asked != "" {
		if r, found := kb.Invisible(asked); found {
			return "", kb.Errorf(kb.Usage, "the name %q has an invisible character, %U", asked, r).
				WithHint("Nothing was changed. Type the name instead of pasting it.")
		}
		name := doc.Slug(asked)
		if name == "" {
			return "", kb.Errorf(kb.Usage, "%q is not a valid name for a space", asked).WithHint("Use letters, digits and hyphens.")
		}
		if taken(name) {
			return "", kb.Errorf(kb.Conflict, "there is a space %s already", name).WithReason(kb.SpaceNameTaken)
		}
		return name, nil
	}
	if had != "" {
		return had, nil
	}
	base := doc.Slug(kb.WithoutInvisible(fallback))
	if base == "" {
		base = "space"
	}
	name := base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name, nil
}

// realDir returns the canonical path of a directory.
func (r *Registry) realDir(dir string) (string, error) {
	abs, err := r.Place.Located(dir)
	if err != nil {
		return "", err
	}
	real, err := fsys.Real(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", kb.Errorf(kb.NotFound, "directory %s does not exist", dir)
	}
	if err != nil {
		return "", fsys.Explain(err, "open %s", dir)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fsys.Explain(err, "open %s", dir)
	}
	if !info.IsDir() {
		return "", kb.Errorf(kb.Usage, "%s is not a directory", dir).WithHint("Name the directory that holds it.")
	}
	return real, nil
}

// derivedSpaceID returns the same id for a directory without a policy file in every
// memory, so that the ids of its pages survive the loss of the database. If another
// machine has a space with that id, its directory is a different one at the same
// path, and the name of this machine is included.
func derivedSpaceID(root, host string, all []kb.Space) kb.ID {
	ids := derivedSpaceIDs(root, host)
	if slices.ContainsFunc(all, func(s kb.Space) bool { return s.Kind == kb.RemoteSpace && s.ID == ids[0] }) {
		return ids[1]
	}
	return ids[0]
}

// derivedSpaceIDs returns the candidates of derivedSpaceID.
func derivedSpaceIDs(root, host string) [2]kb.ID {
	path := filepath.ToSlash(root)
	return [2]kb.ID{
		kb.ID(uuid.NewSHA1(spaceNamespace, []byte(path)).String()),
		kb.ID(uuid.NewSHA1(spaceNamespace, []byte(path+"\x00"+host)).String()),
	}
}

// newDerivedID is derivedSpaceID for a directory that the memory does not have.
func (r *Registry) newDerivedID(ctx context.Context, root string) (kb.ID, error) {
	all, err := r.withForgotten(ctx)
	return derivedSpaceID(root, r.Place.ThisHost(), all), err
}

// policyText returns a preset's text with the space's identity at the top.
func policyText(preset string, id kb.ID, name string) ([]byte, error) {
	text, ok := presets.Text(preset)
	if !ok {
		return nil, kb.Errorf(kb.Usage, "unknown preset %q", preset).WithHint("Presets are %s.", strings.Join(presets.Names(), ", "))
	}
	if id == "" {
		return text, nil
	}
	head := fmt.Sprintf("# The policy of this cairn space. Its owner may change it.\nid = %s\nname = %s\n\n", QuoteTOML(string(id)), QuoteTOML(name))
	return append([]byte(head), text...), nil
}

// policyFor returns the policy for a directory without one: the preset's, with the
// most frequent format of its documents and the settings for the program that keeps
// it.
func (r *Registry) policyFor(ctx context.Context, root, preset string, id kb.ID, name string) (_ []byte, err error) {
	text, err := policyText(preset, id, name)
	if err != nil {
		return nil, err
	}
	d, err := fsys.OpenDir(root)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	files := r.files(d)
	if text, err = withFlavour(ctx, files, text); err != nil {
		return nil, err
	}
	format, err := r.formatOf(ctx, files)
	if err != nil || format == "" {
		return text, err
	}
	pol, err := policy.Parse(text)
	if err != nil || pol.Format == string(format) {
		return text, err
	}
	return policy.Set(text, "format", string(format))
}

// formatOf returns the most frequent format of a directory's documents, "" for
// none.
func (r *Registry) formatOf(ctx context.Context, files fsys.FS) (doc.Format, error) {
	var rules vault.Rules
	for _, c := range r.Codecs {
		rules.Extensions = append(rules.Extensions, c.Extensions()...)
	}
	list, err := vault.Scan(ctx, files, rules)
	if err != nil {
		return "", err
	}
	return maxOf(list.Files, r.Codecs), nil
}

// maxOf returns the most frequent format of the files, "" for none.
func maxOf(files []vault.File, codecs []doc.Codec) doc.Format {
	count := map[doc.Format]int{}
	for _, f := range files {
		if c := doc.ForPath(codecs, f.Path); c != nil && !c.Format().Whole() {
			count[c.Format()]++
		}
	}
	var most doc.Format
	even := false
	for format, n := range count {
		switch {
		case most == "" || n > count[most]:
			most, even = format, false
		case n == count[most]:
			even = true
		}
	}
	if even {
		return ""
	}
	return most
}

// policyOf reads the policy of a directory that may not be a space yet, nil for
// none.
func (r *Registry) policyOf(ctx context.Context, root string) (text []byte, err error) {
	d, err := fsys.OpenDir(root)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return policyFile(ctx, r.files(d), root)
}

func (r *Registry) writePolicy(ctx context.Context, root string, text []byte) (err error) {
	d, err := fsys.OpenDir(root)
	if err != nil {
		return fsys.Explain(err, "open %s", root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return fsys.Explain(fsys.WriteAtomic(ctx, r.files(d), policy.FileName, text, fsys.Absent(), fsys.WriteOptions{}), "write %s", filepath.Join(root, policy.FileName))
}
