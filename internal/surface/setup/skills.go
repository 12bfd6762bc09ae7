package setup

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

// Where clients look for skills. All but Claude Code read the directories that
// the format's own site proposes.
const (
	sharedSkills = ".agents/skills"
	claudeSkills = ".claude/skills"
)

// SkillRequest asks for skills to be installed in a directory, or to be taken
// out of it.
type SkillRequest struct {
	Dir   string   // "" is the one that most clients read
	Scope Scope    // "" means User
	Names []string // none means all of cairn's
	// Registered are skills in addition to cairn's, installed if Names lists
	// them.
	Registered []skills.Skill
	// Sets are the tools of the agents that read the directory; none are those of the
	// clients that are set up.
	Sets    []operation.Set
	Remove  bool
	Replace bool // also an edited copy, which is kept under another name
}

// PlanSkills returns the changes of a request, and writes nothing. An edited
// copy is left alone, and its change is Kept.
func (p Place) PlanSkills(ctx context.Context, req SkillRequest) ([]Change, error) {
	set, err := p.wanted(ctx, req)
	if err != nil {
		return nil, err
	}
	dir, err := p.skillDir(req.Dir, req.Scope)
	if err != nil {
		return nil, err
	}
	sets := req.Sets
	if len(sets) == 0 {
		sets = p.setsAt(ctx, dir, cmp.Or(req.Scope, User), nil)
	}
	out := make([]Change, len(set))
	for i, s := range set {
		s = forSets(s, sets)
		if s.Err != nil && !req.Remove {
			return nil, s.Err
		}
		if out[i], err = skillChange(ctx, filepath.Join(dir, s.Name, skills.File), s, req); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// setsAt are the tools of the clients, other than these, that are set up and read a directory
// of skills. In a project where none is set up, they are those that clients have everywhere.
func (p Place) setsAt(ctx context.Context, dir string, s Scope, not []client) []operation.Set {
	readers := func(has Scope) (out []client) {
		for _, c := range clients {
			if c.skills != "" && p.skillsOf(c.skills, s) == dir && !among(not, c) && p.configured(ctx, c, has) {
				out = append(out, c)
			}
		}
		return out
	}
	found := readers(s)
	if len(found)+len(not) == 0 && s == Project && p.Home != "" {
		return p.toolsets(ctx, readers(User), Request{Scope: User})
	}
	return p.toolsets(ctx, found, Request{Scope: s})
}

// forSets is a skill as agents with these tools read it; none means any.
func forSets(s skills.Skill, sets []operation.Set) skills.Skill {
	if len(sets) == 0 {
		return s
	}
	return s.For(operation.OfferedBy(sets, false))
}

// wanted are the skills that a request names, or all of cairn's.
func (p Place) wanted(ctx context.Context, req SkillRequest) (out []skills.Skill, err error) {
	if len(req.Names) == 0 {
		return p.Skills(ctx, req.Scope)
	}
	for _, name := range req.Names {
		if i := slices.IndexFunc(req.Registered, func(s skills.Skill) bool { return s.Name == name }); i >= 0 {
			out = append(out, req.Registered[i])
			continue
		}
		s, err := p.Skills(ctx, req.Scope, name)
		switch {
		case err != nil && req.Remove && slices.Contains(skills.Every(), name):
			s = []skills.Skill{{Name: name, Err: err}} // a copy is removed even if its own text is invalid
		case err != nil:
			return nil, err
		}
		out = append(out, s...)
	}
	return out, nil
}

func (p Place) skillDir(dir string, s Scope) (string, error) {
	switch {
	case dir == "" && s == Project && p.Dir == "":
		return "", errNoDir()
	case dir == "" && s == Project:
		return p.path(sharedSkills), nil
	case dir == "" && p.Home == "":
		return "", kb.Errorf(kb.Usage, "no home directory").WithReason(kb.NoHome)
	case dir == "":
		return p.path("~/" + sharedSkills), nil
	}
	return dir, nil
}

// Skills returns the skills of these names, or all: the person's own in place
// of those of cairn, and in a project the project's before both. A project's
// never reach a person's other projects. When listing all, an invalid one has
// Err set; a named one fails.
func (p Place) Skills(ctx context.Context, s Scope, names ...string) (out []skills.Skill, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	own := p.skillOverrides(s)
	if len(names) == 0 {
		return skills.All(ctx, own...), nil
	}
	for _, name := range names {
		sk, err := skills.Find(ctx, name, own...)
		if err != nil {
			return nil, err
		}
		out = append(out, sk)
	}
	return out, nil
}

// skillOverrides lists the directories with texts that override cairn's, the
// first one first.
func (p Place) skillOverrides(s Scope) (out []string) {
	if s == Project {
		out = append(out, p.path(".cairn/skills"))
	}
	if own := p.OwnSkills(); own != "" {
		out = append(out, own)
	}
	return out
}

// OwnSkills is the directory of a person's own texts for all projects, "" when
// there is none.
func (p Place) OwnSkills() string {
	if p.Own == "" {
		return ""
	}
	return filepath.Join(p.Own, "skills")
}

func skillChange(ctx context.Context, path string, s skills.Skill, req SkillRequest) (Change, error) {
	now, err := load(ctx, path)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Path: path, Action: Unchanged, Skill: s.Name, now: now}
	ours := !now.there || skills.Installed(now.text)
	switch {
	case req.Remove && !now.there, !req.Remove && bytes.Equal(now.text, s.Copy()):
		return ch, nil
	case !ours && !req.Replace:
		ch.Action, ch.Note = Kept, wasEdited
		return ch, nil
	case req.Remove:
		ch.Action = Removed
	case now.there:
		ch.Action, ch.after = Changed, s.Copy()
	default:
		ch.Action, ch.after = Created, s.Copy()
	}
	if !ours {
		ch.keep, ch.Backup = true, now.sibling(now.free)
	}
	ch.Diff = string(diff.Diff(path, now.text, path, ch.after))
	return ch, nil
}

// skillsNeeded reports whether a set-up client other than these reads a
// directory of skills, too.
func (p Place) skillsNeeded(ctx context.Context, these []client, dir string, s Scope) bool {
	return slices.ContainsFunc(clients, func(other client) bool {
		return !among(these, other) && other.skills == dir && p.configured(ctx, other, s)
	})
}

// SkillState says how a skill is installed in a directory.
type SkillState string

// The states.
const (
	Absent  SkillState = "absent"
	Current SkillState = "current"
	Old     SkillState = "old"    // as an earlier text was installed
	Edited  SkillState = "edited" // changed since, or never installed by cairn
	Broken  SkillState = "broken" // the own text that it would be made from
)

// InstalledSkill is a copy of a skill where a client looks for it.
type InstalledSkill struct {
	Skill   string     `json:"skill"`
	Path    string     `json:"path"`
	Scope   Scope      `json:"scope"`
	State   SkillState `json:"state"`
	Hash    string     `json:"hash,omitempty"` // of the existing file
	Clients []string   `json:"clients"`        // set up, and reading this directory
	Err     error      `json:"-"`              // why it is Broken
}

// InstalledSkills looks at every directory in which clients look for skills.
func (p Place) InstalledSkills(ctx context.Context) (out []InstalledSkill, err error) {
	for _, scope := range []Scope{User, Project} {
		if scope == User && p.Home == "" {
			continue
		}
		set, err := p.Skills(ctx, scope)
		if err != nil {
			return nil, err
		}
		for _, name := range skills.Every()[len(set):] { // an own text that is broken concerns those who have it
			if s, err := skills.Find(ctx, name, p.skillOverrides(scope)...); err == nil {
				set = append(set, s)
			}
		}
		for _, name := range []string{sharedSkills, claudeSkills} {
			var reading []client
			readers := []string{}
			for _, c := range clients {
				if c.skills == name && p.configured(ctx, c, scope) {
					reading, readers = append(reading, c), append(readers, c.name)
				}
			}
			wanted := skills.Names()
			if len(reading) > 0 {
				wanted = p.skillNames(ctx, name, reading, Request{Scope: scope})
			}
			sets := p.setsAt(ctx, p.skillsOf(name, scope), scope, nil)
			for _, s := range set {
				one, err := installed(ctx, filepath.Join(p.skillsOf(name, scope), s.Name, skills.File), forSets(s, sets))
				if err != nil {
					return nil, err
				}
				if one.State == Absent && !slices.Contains(wanted, s.Name) {
					continue // nobody asked for it
				}
				one.Scope, one.Clients = scope, readers
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// skillsOf returns where the directory of skills of this name is.
func (p Place) skillsOf(name string, s Scope) string {
	if s == Project {
		return p.path(name)
	}
	return p.path("~/" + name)
}

func installed(ctx context.Context, path string, s skills.Skill) (InstalledSkill, error) {
	now, err := load(ctx, path)
	if err != nil {
		return InstalledSkill{}, err
	}
	out := InstalledSkill{Skill: s.Name, Path: path, State: Edited}
	switch {
	case s.Err != nil:
		out.State, out.Err = Broken, s.Err
		return out, nil
	case !now.there:
		out.State = Absent
		return out, nil
	case bytes.Equal(now.text, s.Copy()):
		out.State = Current
	case skills.Installed(now.text):
		out.State = Old
	}
	out.Hash = skills.TextHash(now.text)
	return out, nil
}
