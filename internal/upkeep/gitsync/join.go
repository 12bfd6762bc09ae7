package gitsync

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// merge combines ours and theirs in one commit.
func (p *puller) merge(ctx context.Context, req PullRequest) error {
	was, err := p.top.Rewritten(ctx, p.ours, p.theirs)
	if err != nil {
		return err
	}
	if was != "" {
		return kb.Errorf(kb.Conflict, "somebody has replaced the history of %s: it does not have %s any more, on which %s is built", p.out.Upstream, was[:min(len(was), 10)], p.out.Branch).
			WithHint("Nothing was changed. A merge would bring back what the remote removed.").WithReason(kb.GitRewritten).With("commit", was)
	}
	s, err := p.sides(ctx, req)
	if err != nil {
		return err
	}
	todo := s.plan()
	changes, err := p.combine(ctx, &todo)
	if err != nil {
		return err
	}
	for _, c := range todo.clashes {
		shown, err := p.show(ctx, c)
		if err != nil {
			return err
		}
		p.out.Conflicts = append(p.out.Conflicts, shown)
	}
	if len(todo.clashes) > 0 {
		return nil
	}
	index, err := p.judge(ctx, s, todo.entries, changes)
	if err != nil || len(p.out.Broken) > 0 {
		return err
	}
	p.out.Files = p.files(func(yield func(string) bool) {
		for path := range todo.entries {
			if !yield(path) {
				return
			}
		}
	})
	differences := map[string]git.Difference{}
	for path, e := range todo.entries {
		differences[path] = git.Difference{From: at(path, s.ours, s.theirs), To: e}
	}
	if err := p.top.Overlap(ctx, p.whole, differences); err != nil || p.dry {
		return err
	}
	c := git.Commit{
		Subject:  "pull: merge " + p.out.Upstream,
		Trailers: []git.Trailer{{Key: "Cairn-Actor", Value: p.Session.Actor.String()}, {Key: "Cairn-Operation", Value: "pull"}},
		Changes:  append(changes, index...), SkipHook: p.w.Policy.Guard.Hooks == policy.SkipHooks,
	}
	id, err := p.top.Join(ctx, p.whole, p.ours, p.theirs, todo.entries, c)
	var no *git.Refusal
	if errors.As(err, &no) {
		return kb.Errorf(kb.Refused, "%s", no.Error()).WithHint("Nothing was changed.").WithReason(kb.HookRefused).With("hook", no.Hook).Because(err)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return kb.Errorf(kb.Conflict, "the merge cannot be committed now: %w", err).WithHint("Nothing was changed.")
	}
	files := p.out.Files
	if err := p.forward(ctx, id); err != nil {
		return err
	}
	p.out.Commit, p.out.Files = id, files
	return nil
}

// sides collects the changes of both sides since the merge base, and the side that
// the request chooses for each path.
func (p *puller) sides(ctx context.Context, req PullRequest) (s sides, err error) {
	s.unsure = map[string]bool{}
	bases, err := p.top.Bases(ctx, p.ours, p.theirs)
	if err != nil {
		return s, err
	}
	if len(bases) == 0 {
		return s, kb.Errorf(kb.Conflict, "%s and %s have no commit in common", p.out.Branch, p.out.Upstream).WithHint("Nothing was changed.").WithReason(kb.GitDiverged)
	}
	if s.ours, err = p.changed(ctx, bases[0], p.ours); err != nil {
		return s, err
	}
	if s.theirs, err = p.changed(ctx, bases[0], p.theirs); err != nil {
		return s, err
	}
	for _, other := range bases[1:] {
		differ, err := p.top.Differences(ctx, bases[0], other)
		if err != nil {
			return s, err
		}
		for path := range differ {
			s.unsure[path] = true
		}
	}
	if s.oursMoved, err = p.moved(ctx, s.ours); err != nil {
		return s, err
	}
	if s.theirsMoved, err = p.moved(ctx, s.theirs); err != nil {
		return s, err
	}
	s.choices, err = p.choices(s, req)
	return s, err
}

// changed returns the differences between two commits, without index files.
func (p *puller) changed(ctx context.Context, from, to string) (map[string]git.Difference, error) {
	all, err := p.top.Differences(ctx, from, to)
	return p.withoutIndex(ctx, all), err
}

// moved finds documents that moved to another path, by their ids, and the sidecars
// that moved with them.
func (p *puller) moved(ctx context.Context, differences map[string]git.Difference) (map[string]string, error) {
	from, to := map[string]string{}, map[string]string{}
	out := map[string]string{}
	for path, d := range differences {
		codec := p.codec(path)
		if codec == nil || d.From != (git.Entry{}) && d.To != (git.Entry{}) {
			continue
		}
		side, e := to, d.To
		if d.To == (git.Entry{}) {
			side, e = from, d.From
		}
		text, err := p.top.Text(ctx, path, e)
		if err != nil {
			return nil, err
		}
		if id := codec.Parse(path, text).Nodes[0].ID; id != "" {
			side[id] = path
		}
	}
	for id, path := range from {
		there := to[id]
		if there == "" {
			continue
		}
		out[path] = there
		side, goes := vault.SidecarPath(path), vault.SidecarPath(there)
		if taken, put := differences[side], differences[goes]; taken.To == (git.Entry{}) && put.To != (git.Entry{}) && put.From == (git.Entry{}) && taken.From != (git.Entry{}) {
			out[side] = goes
		}
	}
	return out, nil
}

// choices returns the sides chosen by the request.
func (p *puller) choices(s sides, req PullRequest) (map[string]choice, error) {
	out := map[string]choice{}
	for c, named := range map[choice][]string{takeOurs: req.Ours, takeTheirs: req.Theirs} {
		for _, name := range named {
			found := false
			for _, side := range []map[string]git.Difference{s.ours, s.theirs} {
				for path := range side {
					if in := p.here(path); in == name || strings.HasPrefix(in, name+".") && doc.ForPath(p.Session.Codecs, in) != nil {
						if have := out[path]; have != neither && have != c {
							return nil, kb.Errorf(kb.Usage, "%s: choose ours or theirs, not both", name)
						}
						out[path], found = c, true
					}
				}
			}
			if !found {
				return nil, kb.Errorf(kb.NotFound, "nothing at %s has changed on either side", name)
			}
		}
	}
	return out, nil
}

// combine merges files changed on both sides. A file that cannot be merged becomes
// a clash.
func (p *puller) combine(ctx context.Context, todo *plan) (changes []git.Change, err error) {
	for _, m := range todo.merges {
		mode := m.theirs.Mode
		if mode == m.base.Mode {
			mode = m.ours.Mode
		}
		if !m.base.gone() && !m.base.Regular() || !m.ours.Regular() || !m.theirs.Regular() {
			todo.clashes = append(todo.clashes, clash{m, "changed on both sides"})
			continue
		}
		var texts [3][]byte
		for i, at := range []place{m.base, m.ours, m.theirs} {
			if at.gone() {
				continue
			}
			if texts[i], err = p.top.Text(ctx, at.path, at.Entry); err != nil {
				return nil, err
			}
		}
		text, why, err := p.text(ctx, m.to, texts[0], texts[1], texts[2])
		if err != nil {
			return nil, err
		}
		if why != "" {
			todo.clashes = append(todo.clashes, clash{m, why})
			continue
		}
		p.out.Merged = append(p.out.Merged, p.here(m.to))
		if m.ours.path != m.to {
			todo.entries[m.ours.path] = git.Entry{}
		}
		todo.entries[m.to] = git.Entry{Mode: mode, ID: m.ours.ID}
		changes = append(changes, git.Change{Path: m.to, New: text})
	}
	return changes, nil
}

// text applies the changes from base to ours to theirs. why is the reason of a
// failure.
func (p *puller) text(ctx context.Context, path string, base, ours, theirs []byte) (text []byte, why string, err error) {
	if _, in := p.repo.Owns(path); in && vault.IsSidecar(p.here(path)) {
		text, both := sidecar.Merge(base, ours, theirs)
		if len(both) > 0 {
			why = "both changed " + strings.Join(both, ", ")
		}
		return text, why, nil
	}
	codec := p.codec(path)
	if codec == nil {
		text, ok, err := p.top.Combine(ctx, p.whole, base, ours, theirs)
		if !ok {
			why = "both changed the same lines"
		}
		return text, why, err
	}
	text, lines := mergeTexts(codec, path, p.w.Policy.Stamps, base, ours, theirs)
	if len(lines) == 0 {
		return text, "", nil
	}
	var at []string
	for _, l := range lines {
		if at = append(at, strconv.Itoa(l.From)); l.To > l.From {
			at[len(at)-1] += "-" + strconv.Itoa(l.To)
		}
	}
	return nil, "both changed the same lines (of theirs: " + strings.Join(at, ", ") + ")", nil
}

// mergeTexts applies the changes from base to ours to theirs; for lines changed on
// both sides those of theirs are used.
func mergeTexts(codec doc.Codec, path string, stamps []policy.Stamp, base, ours, theirs []byte) (text []byte, conflicts []merge.Lines) {
	base, ours, theirs = level(codec, path, stamps, base, ours, theirs)
	return merge.Union(codec, path, base, ours, theirs)
}

// level gives three versions of a document the same edit stamps, the latest ones,
// so that the day of an edit is not a conflict.
func level(codec doc.Codec, path string, stamps []policy.Stamp, base, ours, theirs []byte) (b, o, t []byte) {
	for _, s := range stamps {
		if !s.Edits || s.List {
			continue
		}
		value := func(text []byte) string {
			has, _ := codec.Parse(path, text).Nodes[0].Property(s.Key)
			return strings.Join(has.Values, " ")
		}
		here, there := value(ours), value(theirs)
		if here == there || here == "" || there == "" || value(base) == "" {
			continue
		}
		later := doc.SetProperty{Key: s.Key, Value: max(here, there)}
		var all [3][]byte
		var err error
		for i, text := range [][]byte{base, ours, theirs} {
			if err == nil {
				all[i], err = codec.Apply(codec.Parse(path, text), "", later)
			}
		}
		if err == nil { // otherwise the lines are compared unchanged
			base, ours, theirs = all[0], all[1], all[2]
		}
	}
	return base, ours, theirs
}

// show describes a clash with the changes of both sides.
func (p *puller) show(ctx context.Context, c clash) (out api.GitConflict, err error) {
	out = api.GitConflict{Path: p.here(c.to), Why: c.why}
	var texts [3][]byte
	for i, at := range []place{c.base, c.ours, c.theirs} {
		if at.gone() || !at.Regular() {
			continue
		}
		if texts[i], err = p.top.Text(ctx, at.path, at.Entry); err != nil {
			return out, err
		}
		if p.Session.Writer.Mask != nil {
			texts[i] = p.Session.Writer.Mask(texts[i])
		}
	}
	out.Here = history.UnifiedDiff(p.here(c.base.path), texts[0], p.here(c.ours.path), texts[1])
	out.There = history.UnifiedDiff(p.here(c.base.path), texts[0], p.here(c.theirs.path), texts[2])
	return out, nil
}

// judge reports the rules that the merge would violate, and updates the index files
// for it. Faults that theirs has on its own do not count.
func (p *puller) judge(ctx context.Context, s sides, entries map[string]git.Entry, changes []git.Change) (index []git.Change, err error) {
	after := map[string][]byte{}
	alone := map[string][]lint.Finding{} // faults of theirs on its own
	for path, e := range entries {
		codec := p.codec(path)
		if codec == nil {
			continue
		}
		in := p.here(path)
		if i := slices.IndexFunc(changes, func(c git.Change) bool { return c.Path == path }); i >= 0 {
			after[in] = changes[i].New
		} else if e == (git.Entry{}) {
			after[in] = nil
		} else if after[in], err = p.top.Text(ctx, path, e); err != nil {
			return nil, err
		}
		if d, theirs := s.theirs[path]; theirs && d.To != (git.Entry{}) {
			text, err := p.top.Text(ctx, path, d.To)
			if err != nil {
				return nil, err
			}
			alone[in] = lint.Document(codec.Parse(in, text), p.w.Policy)
		}
	}
	removed, err := p.removed(ctx, s.ours)
	if err != nil {
		return nil, err
	}
	broken, index, err := p.Session.Writer.Foresee(ctx, p.w, after)
	if err != nil {
		return nil, err
	}
	for _, f := range broken {
		had := func(x lint.Finding) bool { return x.Rule == f.Rule && x.Message == f.Message }
		if slices.ContainsFunc(alone[f.Path], had) {
			continue
		}
		merged := slices.ContainsFunc(changes, func(c git.Change) bool { return p.here(c.Path) == f.Path })
		dead := f.Rule == policy.LintLinkDead && alone[f.Path] != nil && !merged
		if dead && !slices.ContainsFunc(removed, func(id kb.ID) bool { return strings.Contains(f.Message, string(id)) }) {
			continue
		}
		p.out.Broken = append(p.out.Broken, lintpages.Fault(p.w.Name, f))
	}
	for i := range index {
		index[i].Path = p.repo.Prefix + index[i].Path
	}
	return index, nil
}

// removed returns the ids of documents that one side removed.
func (p *puller) removed(ctx context.Context, side map[string]git.Difference) (ids []kb.ID, err error) {
	for path, d := range side {
		codec := p.codec(path)
		if codec == nil || d.To != (git.Entry{}) {
			continue
		}
		text, err := p.top.Text(ctx, path, d.From)
		if err != nil {
			return nil, err
		}
		ids = append(ids, slices.Collect(maps.Keys(lint.Declared(codec.Parse(path, text))))...)
	}
	return ids, nil
}
