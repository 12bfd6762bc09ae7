package setup

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

// Request asks for clients to be set up, or for cairn to be taken out again.
type Request struct {
	Clients []string // by their names; see Find
	Scope   Scope    // "" means User
	Remove  bool
	// Serve is how cairn mcp is to serve them.
	Serve Serve
	// Command is the program for clients, and replaces another program in
	// entries that cairn wrote; "" is the bare name, or cairn's path for clients
	// that do not find it by name, and changes no existing program. With Remove,
	// entries that run Command are removed, under any name.
	Command string
	// Closed are directories with files that agents may change only through
	// cairn: the clients' own tools are denied them, if a client supports that.
	Closed []string
	// Skills are sets of skills in addition to those that go with the tools.
	Skills []string
}

// Action is the kind of change to a file.
type Action string

// The actions.
const (
	Created   Action = "created"
	Changed   Action = "changed"
	Removed   Action = "removed"
	Unchanged Action = "unchanged"
	Kept      Action = "kept" // it has nothing but what somebody edited or made
)

// wasEdited is why a file is left alone.
const wasEdited = "it was edited: left alone"

// Change is what becomes of one file.
type Change struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	// Backup is the copy of the file as it was before the first change, or
	// before the last one that took what cairn had not written.
	Backup string `json:"backup,omitempty"`
	// Skill is the name of the skill that the file is of, "" for other files.
	Skill string `json:"skill,omitempty"`
	// Note lists parts left alone, and why.
	Note string `json:"note,omitempty"`
	Diff string `json:"diff,omitempty"`

	now    file
	after  []byte
	keep   bool    // make a backup
	served *backup // a backup to delete: the file is as it was again
}

// Plan is everything that a request changes.
type Plan struct {
	Clients []string `json:"clients"`
	Scope   Scope    `json:"scope"`
	Changes []Change `json:"files"`
	// Next lists the remaining manual steps, a sentence each.
	Next []string `json:"next,omitempty"`
}

// Plan reads the files of clients and returns the changes of a request. It
// writes nothing; a file that cannot be edited safely fails the whole request.
func (p Place) Plan(ctx context.Context, req Request) (*Plan, error) {
	all, err := p.asked(&req)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Scope: req.Scope}
	guide := operation.Guide(p.toolsets(ctx, all, req))
	var files []parted
	for _, c := range all {
		plan.Clients = append(plan.Clients, c.name)
		prog := program{path: p.Binary, ask: req.Serve, asked: req.Command != "", closed: req.Closed, guide: guide}
		if left := c.left(req.Scope); left != "" && !req.Remove {
			plan.Next = append(plan.Next, left)
		}
		switch {
		case !req.Remove:
			if prog.path, err = p.command(c, req); err != nil {
				return nil, err
			}
		case prog.asked:
			prog.path = req.Command
		}
		files = p.grouped(files, c.in(req.Scope), prog)
	}
	for _, g := range files {
		if req.Remove {
			if g.parts = slices.DeleteFunc(g.parts, func(x part) bool { return p.needed(ctx, all, req.Scope, g.path, x) }); len(g.parts) == 0 {
				continue
			}
		}
		ch, err := g.change(ctx, req.Remove)
		if err != nil {
			return nil, inFile(err, g.path)
		}
		plan.Changes = append(plan.Changes, ch)
	}
	return plan, p.planSkills(ctx, all, req, plan)
}

// toolsets are the sets of tools that clients have once a request is carried out, those of
// all of them together.
func (p Place) toolsets(ctx context.Context, all []client, req Request) (out []operation.Set) {
	for _, c := range all {
		names := req.Serve.on(p.servingNow(ctx, c, req.Scope)).toolsets
		sets, err := operation.ReadSets(strings.Split(names, ",")...)
		if names == "" || err != nil { // a set of a newer cairn
			sets = []operation.Set{operation.Core}
		}
		out = append(out, sets...)
	}
	return out
}

// servingNow is how the client's entry has cairn mcp serve.
func (p Place) servingNow(ctx context.Context, c client, s Scope) serving {
	pieces := c.in(s)
	f, err := load(ctx, p.chosen(pieces[0]))
	if err != nil || !f.there {
		return serving{}
	}
	x, _, err := running(pieces[0].part, program{path: p.Binary}).find(f.text)
	if err != nil {
		return serving{}
	}
	switch x := x.(type) {
	case member:
		return x.serving
	case table:
		return x.serving
	}
	return serving{}
}

// planSkills adds what becomes of the skills of clients: those that go with their tools are
// installed, others of ours are taken out again.
func (p Place) planSkills(ctx context.Context, all []client, req Request, plan *Plan) error {
	var done []string
	for _, c := range all {
		if c.skills == "" || slices.Contains(done, c.skills) {
			continue
		}
		done = append(done, c.skills)
		shared := p.skillsNeeded(ctx, all, c.skills, req.Scope)
		var wanted []string
		var sets []operation.Set
		if !req.Remove {
			readers := slices.DeleteFunc(slices.Clone(all), func(other client) bool { return other.skills != c.skills })
			wanted = p.skillNames(ctx, c.skills, readers, req)
			sets = append(p.toolsets(ctx, readers, req), p.setsAt(ctx, p.skillsOf(c.skills, req.Scope), req.Scope, readers)...)
		}
		in := SkillRequest{Dir: p.skillsOf(c.skills, req.Scope), Scope: req.Scope, Names: wanted, Sets: sets}
		if len(wanted) > 0 {
			changes, err := p.PlanSkills(ctx, in)
			if err != nil {
				return err
			}
			plan.Changes = append(plan.Changes, changes...)
		}
		if shared || !req.Remove && req.Serve.Toolsets == nil {
			continue
		}
		in.Remove = true
		in.Names = slices.DeleteFunc(skills.Every(), func(name string) bool { return slices.Contains(wanted, name) })
		changes, err := p.PlanSkills(ctx, in)
		if err != nil {
			return err
		}
		plan.Changes = append(plan.Changes, slices.DeleteFunc(changes, func(ch Change) bool { return ch.Action == Unchanged })...)
	}
	return nil
}

// skillNames are the skills that go with the tools of the clients that read a directory of
// skills.
func (p Place) skillNames(ctx context.Context, dir string, readers []client, req Request) []string {
	names := slices.Clone(req.Skills)
	for _, set := range p.toolsets(ctx, readers, req) {
		names = append(names, string(set))
	}
	out := skills.Of(names...)
	if dir == claudeSkills && slices.Contains(out, "memory-capture") {
		out = append(out, skills.Command)
	}
	return out
}

// asked returns the clients of a request, once each.
func (p Place) asked(req *Request) (all []client, err error) {
	if req.Scope == "" {
		req.Scope = User
	}
	if err := req.Scope.check(); err != nil {
		return nil, err
	}
	for _, name := range req.Clients {
		i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
		switch {
		case i < 0:
			return nil, kb.Errorf(kb.Usage, "unknown client %q", name).
				WithHint("Clients are %s.", strings.Join(Names(), ", "))
		case len(clients[i].in(req.Scope)) == 0:
			return nil, kb.Errorf(kb.Usage, "%s has no configuration of a project", clients[i].title).WithReason(kb.NoProjectScope)
		case !slices.ContainsFunc(all, func(c client) bool { return c.name == name }):
			all = append(all, clients[i])
		}
	}
	if req.Scope == User && p.Home == "" {
		return nil, kb.Errorf(kb.Usage, "no home directory").WithReason(kb.NoHome)
	}
	if req.Scope == Project && p.Dir == "" {
		return nil, errNoDir()
	}
	return all, nil
}

func errNoDir() error {
	return kb.Errorf(kb.Usage, "the working directory was removed").WithHint("Go to the project's directory.")
}

// inFile says in which file an edit failed.
func inFile(err error, path string) error {
	e := kb.AsError(err)
	out := kb.Errorf(e.Code, "nothing was changed: %s: %w", path, err)
	if e.Hint == "" && e.Reason == "" {
		return out.WithHint("Mend it, then run this again.")
	}
	return out.WithHintOf(e)
}

// parted is a file with all parts that go into it.
type parted struct {
	path  string
	parts []part
}

// grouped adds pieces to files: those of one file come together. Instructions
// that several clients read are one part.
func (p Place) grouped(out []parted, pieces []piece, prog program) []parted {
	for _, pc := range pieces {
		if pc.where != "" && !fsys.Exists(p.path(pc.where)) {
			continue
		}
		path, add := p.chosen(pc), running(pc.part, prog)
		i := slices.IndexFunc(out, func(g parted) bool { return g.path == path })
		if i < 0 {
			out = append(out, parted{path, []part{add}})
			continue
		}
		if lines, ok := add.(instructions); !ok || !slices.Contains(out[i].parts, part(lines)) {
			out[i].parts = append(out[i].parts, add)
		}
	}
	return out
}

// chosen returns the first existing path of a piece, else its first.
func (p Place) chosen(pc piece) string {
	for _, name := range pc.paths {
		if path := p.path(name); fsys.Exists(path) {
			return path
		}
	}
	return p.path(pc.paths[0])
}

// needed reports whether instructions in a file serve a client other than
// these, too: several read AGENTS.md.
func (p Place) needed(ctx context.Context, these []client, s Scope, path string, x part) bool {
	if _, ok := x.(instructions); !ok {
		return false
	}
	for _, other := range clients {
		if among(these, other) {
			continue
		}
		for _, pc := range other.in(s) {
			if _, lines := pc.part.(instructions); lines && p.chosen(pc) == path && p.configured(ctx, other, s) {
				return true
			}
		}
	}
	return false
}

// among reports whether a client is one of these.
func among(these []client, c client) bool {
	return slices.ContainsFunc(these, func(x client) bool { return x.name == c.name })
}

func (g parted) change(ctx context.Context, remove bool) (Change, error) {
	now, err := load(ctx, g.path)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: g.path, Action: Unchanged, now: now}
	if now.there {
		ch.Backup = now.newest()
	}
	if remove {
		err = g.removal(&ch)
	} else {
		err = g.addition(&ch)
	}
	if err != nil {
		return ch, err
	}
	if ch.keep {
		ch.Backup = now.sibling(now.free)
	}
	if ch.Action != Unchanged && ch.Action != Kept {
		if now.there && now.perm&0o200 == 0 {
			return ch, kb.Errorf(kb.Refused, "it is marked read-only").WithHint("Make it writable if cairn may change it, then run this again.")
		}
		ch.Diff = string(diff.Diff(g.path, now.text, g.path, ch.after))
	}
	return ch, nil
}

func (g parted) addition(ch *Change) error {
	now := ch.now
	all, err := standing(now.text, g.parts)
	if err != nil {
		return err
	}
	found := partsOf(all, ours)
	ch.Note = leftAlone(all, false)
	if ch.after, err = added(now.text, g.parts); err != nil || bytes.Equal(ch.after, now.text) {
		return err
	}
	if !now.there {
		ch.Action = Created
		return nil
	}
	without, err := dropped(now.text, g.parts)
	if err != nil {
		return err
	}
	ch.Action = Changed
	// Losing a file with only text of an older cairn does not matter. Otherwise
	// an older copy may predate the person's own last changes.
	ch.keep = !slices.ContainsFunc(found, func(p part) bool { return !isSetting(p) }) || !makes(without, found, now.text) || len(now.backups) == 0 && !makes(nil, found, now.text)
	return nil
}

func (g parted) removal(ch *Change) error {
	now := ch.now
	all, err := standing(now.text, g.parts)
	if err != nil || len(all) == 0 {
		return err
	}
	// Nobody else changed the file since, so the copy shows which of the now
	// empty containers existed, and whether there was a file. Equal bytes were
	// written by setup, with any program.
	written := partsOf(all, ours, byHand)
	for i, b := range slices.Backward(now.backups) {
		if !bytes.Equal(b.text, now.text) && clean(b.text, g.parts) && makes(b.text, written, now.text) {
			ch.Action, ch.after, ch.served, ch.Backup = Changed, b.text, &now.backups[i], ""
			all, err = standing(b.text, g.parts)
			ch.Note = leftAlone(all, true)
			return err
		}
	}
	if makes(nil, written, now.text) {
		ch.Action, ch.Backup = Removed, ""
		return nil
	}
	// A value that a copy has was the person's before it was cairn's.
	personal := func(p part) bool {
		return isSetting(p) && slices.ContainsFunc(now.backups, func(b backup) bool {
			_, whose, err := p.find(b.text)
			return err == nil && whose == ours && clean(b.text, g.parts)
		})
	}
	found := slices.DeleteFunc(partsOf(all, ours), personal)
	if ch.Note = leftAlone(all, true); ch.Note != "" {
		ch.Action = Kept
	}
	if len(found) == 0 {
		return nil
	}
	if ch.after, err = dropped(now.text, slices.DeleteFunc(slices.Clone(g.parts), personal)); err != nil {
		return err
	}
	// An older copy does until something goes that cairn did not write so.
	ch.keep = len(now.backups) == 0 || !makes(ch.after, found, now.text)
	ch.Action = Changed
	for i, b := range now.backups {
		if bytes.Equal(b.text, ch.after) {
			ch.served, ch.Backup = &now.backups[i], ""
		}
	}
	// Only cairn writes such markers: a file of nothing else is its own, too.
	before := slices.ContainsFunc(now.backups, func(b backup) bool { return clean(b.text, g.parts) })
	if _, lines := g.parts[0].(instructions); lines && len(ch.after) == 0 && !before {
		ch.Action = Removed
	}
	return nil
}

// leftAlone lists the parts of a text that stay because others wrote them, and
// the remaining manual steps.
func leftAlone(all []found, remove bool) string {
	var notes []string
	for _, s := range all {
		what := "its entry cairn"
		switch s.part.(type) {
		case hook, hookFile:
			what = "its hook of cairn prime"
		}
		value, isValue := s.part.(setting)
		switch {
		case s.whose == ours:
		case isValue:
			notes = append(notes, value.keys[len(value.keys)-1]+" has another value: left alone")
		case remove:
			notes = append(notes, what+" is not as cairn writes it: left alone; take it out by hand if nothing needs it")
		case s.whose == theirs:
			notes = append(notes, what+" runs something else: left alone; rename it, then run this again")
		default:
			notes = append(notes, what+" is not as cairn writes it: left alone")
		}
	}
	return strings.Join(notes, "; ")
}

// Changed reports whether any file is another than before.
func (p *Plan) Changed() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Action != Unchanged && c.Action != Kept })
}

// apply makes a change.
func (ch Change) apply(ctx context.Context) error {
	var err error
	switch ch.Action {
	case Unchanged, Kept:
		return nil
	case Removed:
		err = ch.now.remove(ctx, ch.keep)
		if err == nil && ch.Skill != "" {
			_, err = removeEmpty(filepath.Dir(ch.Path))
		}
	default:
		err = ch.now.write(ctx, ch.after, ch.keep)
	}
	if err == nil && ch.served != nil {
		err = ch.now.forget(ctx, *ch.served)
	}
	if errors.Is(err, fsys.ErrChanged) {
		return kb.Errorf(kb.Conflict, "%s changed meanwhile", ch.Path).WithHint("Run this again.")
	}
	return fsys.Explain(err, "write %s", ch.Path)
}
