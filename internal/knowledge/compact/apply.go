package compact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request asks for a compaction.
type Request struct {
	api.WriteOptions
	All     bool // the clusters of every space
	Cluster int  // only the one with this number; 0 for all
	// Plan is a list of clusters with summaries, used instead of the current
	// clusters. A cluster with pages that changed since is skipped.
	Plan *Plan
}

// Result is the outcome for each cluster.
type Result struct {
	DryRun   bool              `json:"dry_run,omitempty"`
	Clusters []api.ClusterDone `json:"clusters"`
	Stale    int               `json:"stale"` // pages examined when no plan was given
	Notes    []string          `json:"notes,omitempty"`
}

// ReadPlan reads a plan that was edited by the user.
func ReadPlan(text []byte) (*Plan, error) {
	if err := kb.CheckJSON(text); err != nil {
		return nil, err
	}
	var p Plan
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(&p)
	if err == nil && dec.More() {
		err = errors.New("there is more after its end")
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "invalid compaction plan: %w", err).WithHint("Nothing was changed.").WithReason(kb.BrokenPlan)
	}
	return &p, nil
}

// Compact replaces each cluster by a summary page, each cluster in one write. All
// summaries are written and checked before the first write, so that a failed
// summary leaves everything unchanged.
func Compact(ctx context.Context, sess *memory.Session, req Request) (Result, error) {
	out := Result{DryRun: req.DryRun, Clusters: []api.ClusterDone{}}
	if req.Cluster < 0 {
		return out, kb.Errorf(kb.Usage, "clusters have numbers from 1 on")
	}
	plan, given := req.Plan, req.Plan != nil
	if given {
		if err := find(ctx, sess, plan); err != nil {
			return out, err
		}
		if err := plan.age(ctx, sess, req.DryRun); err != nil {
			return out, err
		}
	} else {
		found, err := MakePlan(ctx, sess, PlanRequest{All: req.All, DryRun: req.DryRun, Writes: true})
		if err != nil {
			return out, err
		}
		plan, out.Stale, out.Notes = &found, found.Stale, found.Notes
	}
	if req.Cluster > 0 {
		i := slices.IndexFunc(plan.Clusters, func(c Cluster) bool { return c.Number == req.Cluster })
		if i < 0 {
			return out, kb.Errorf(kb.NotFound, "there is no cluster %d, but %s", req.Cluster, api.Plural(len(plan.Clusters), "cluster"))
		}
		plan = &Plan{Clusters: plan.Clusters[i : i+1]}
	}
	err := carryOut(ctx, sess, plan, given, req.WriteOptions, &out)
	return out, err
}

// carryOut compacts the clusters of a plan.
func carryOut(ctx context.Context, sess *memory.Session, plan *Plan, given bool, opts api.WriteOptions, out *Result) error {
	var by Author
	if !given && len(plan.Clusters) > 0 {
		var err error
		if by, err = author(sess); err != nil {
			return err
		}
	}
	todo := make([]job, len(plan.Clusters))
	for i := range plan.Clusters {
		var err error
		if todo[i], err = prepare(ctx, sess, &plan.Clusters[i], given, by); err != nil {
			return err
		}
	}
	for _, j := range todo {
		if err := writeSummary(ctx, sess, j, opts); err != nil {
			return err
		}
		out.Clusters = append(out.Clusters, *j.done)
	}
	return nil
}

// job is a cluster to be compacted.
type job struct {
	of    *Cluster
	space *write.Space
	acts  map[string]bool
	done  *api.ClusterDone
}

// find finds the pages of a user's plan, and rejects a plan that cannot be applied.
func find(ctx context.Context, sess *memory.Session, p *Plan) error {
	seen := map[string]int{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		if c.Number == 0 {
			c.Number = i + 1
		}
		broken := func(format string, args ...any) error {
			return kb.Errorf(kb.Invalid, format, args...).With("cluster", c.Number).WithHint("Nothing was changed.").WithReason(kb.BrokenPlan)
		}
		if slices.ContainsFunc(p.Clusters[:i], func(o Cluster) bool { return o.Number == c.Number }) {
			return broken("two clusters of the plan have the number %d", c.Number)
		}
		if len(c.Members) < 2 {
			return broken("cluster %d of the plan has fewer than two members", c.Number)
		}
		for k := range c.Members {
			m := &c.Members[k]
			named, home, err := freshness.FindToChange(ctx, sess, m.Ref)
			if err != nil {
				return err
			}
			if named.Part != "" {
				return broken("%q is a part of a page", m.Ref)
			}
			if c.Space != "" && c.Space != home.Name || k > 0 && c.Members[0].page.SpaceID != named.Page.SpaceID {
				return broken("cluster %d of the plan has pages of several spaces", c.Number)
			}
			if in, twice := seen[named.Page.Ref()]; twice {
				return broken("%s is in cluster %d and in cluster %d of the plan", named.Page.Ref(), in, c.Number)
			}
			seen[named.Page.Ref()] = c.Number
			expected := m.Version
			err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
				*m, err = member(ctx, sess, tx, named.Page)
				return err
			})
			if err != nil {
				return err
			}
			if expected > 0 {
				m.Version = expected
			}
		}
		c.Space = c.Members[0].page.Space
	}
	return nil
}

// age makes the pass that is due for the spaces of a plan. An earlier plan for the
// same versions of the pages remains valid.
func (p *Plan) age(ctx context.Context, sess *memory.Session, dry bool) error {
	var spaces []kb.Space
	for _, c := range p.Clusters {
		home, err := spaceOf(ctx, sess, c.Members[0].page)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(spaces, func(s kb.Space) bool { return s.Row == home.Row }) {
			spaces = append(spaces, home)
		}
	}
	turned, err := ageing.Ready(ctx, sess, ageing.ReadyRequest{Spaces: spaces, DryRun: dry, Writes: true})
	if err != nil {
		return err
	}
	return sess.DB.View(ctx, func(tx store.Tx) error {
		for i := range p.Clusters {
			for k := range p.Clusters[i].Members {
				m := &p.Clusters[i].Members[k]
				pages, err := tx.Pages().Get(ctx, []int64{m.page.Row})
				if err != nil {
					return err
				}
				for _, now := range pages {
					if m.Version == m.page.Version && now.Status != m.page.Status {
						m.Version = now.Version
					}
					m.page = now
					m.page.Status = turned.Status(now.Row, now.Status)
					m.turned = m.page.Status != now.Status
				}
			}
		}
		return nil
	})
}

// prepare summarises a cluster and checks the result.
func prepare(ctx context.Context, sess *memory.Session, c *Cluster, given bool, by Author) (job, error) {
	j := job{of: c, done: &api.ClusterDone{Number: c.Number, Space: c.Space, Members: c.refs()}}
	home, err := spaceOf(ctx, sess, c.Members[0].page)
	if err != nil {
		return j, err
	}
	if j.space, err = sess.Spaces.OpenSpace(ctx, home); err != nil {
		return j, err
	}
	j.acts = change.Acting(j.space.Policy.Lifecycle, CompactedInto)
	for _, m := range c.Members {
		switch {
		case m.page.Status != kb.Stale:
			j.done.State, j.done.Reason = api.ClusterWaiting, m.Ref+" is not stale any more"
			return j, nil
		case m.Version != m.page.Version:
			j.done.State, j.done.Reason = api.ClusterWaiting, m.Ref+" changed since the plan was made"
			return j, nil
		}
		if err := j.space.Policy.Lifecycle.MayBecome(kb.Stale, kb.Compacted); err != nil {
			return j, err
		}
		if err := j.space.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpEdit, Path: m.page.Path}); err != nil {
			return j, err
		}
	}
	switch {
	case given:
	case by != nil:
		if err := sumUp(ctx, c, by, j.space.Policy.Format); err != nil {
			return j, err
		}
	default:
		extract(c, doc.Format(j.space.Policy.Format), j.acts)
	}
	if c.Summary == "" && by == nil {
		j.done.State, j.done.Reason = api.ClusterLeft, "it has no summary"
		return j, nil
	}
	return j, c.check()
}

// spaceOf returns the space of a page.
func spaceOf(ctx context.Context, sess *memory.Session, p kb.Page) (out kb.Space, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(s kb.Space) bool { return s.ID == p.SpaceID })
		if i < 0 {
			return kb.Errorf(kb.Conflict, "the space of %s was removed meanwhile", p.Ref())
		}
		out = all[i]
		return nil
	})
	return out, err
}

// maxRaces is how often writing a cluster is retried because a page that links to
// it changed, or another page took the name of its summary.
const maxRaces = 5

// writeSummary writes the summary of a cluster.
func writeSummary(ctx context.Context, sess *memory.Session, j job, opts api.WriteOptions) error {
	if j.done.State != "" {
		return nil
	}
	taken := map[string]bool{}
	for try := 0; ; try++ {
		changes, page, err := planChanges(ctx, sess, j, taken)
		if err != nil {
			return err
		}
		if opts.DryRun && slices.ContainsFunc(j.of.Members, func(m Member) bool { return m.turned }) {
			j.done.State, j.done.Title, j.done.Text = api.ClusterCompacted, page.title, j.of.Summary
			return nil
		}
		w, err := change.Apply(ctx, sess, "compact", opts, changes)
		if err == nil {
			j.done.State, j.done.Write, j.done.Title = api.ClusterCompacted, w.Write, page.title
			for _, p := range w.Pages {
				if p.Path == page.path && p.Space == j.space.Name {
					j.done.Summary = p.Ref
				}
			}
			if opts.DryRun {
				j.done.Text = j.of.Summary
			}
			return nil
		}
		where := write.RefusedPaths(err)
		if path, one := kb.AsError(err).Details["path"].(string); one && len(where) == 0 {
			where = []string{path}
		}
		var changed []string
		for _, m := range j.of.Members {
			if slices.Contains(where, m.page.Path) {
				changed = append(changed, m.Ref)
			}
		}
		switch {
		case kb.CodeOf(err) != kb.Conflict || store.IsBusy(err):
			return err
		case len(changed) > 0 || try == maxRaces:
			if len(changed) == 0 {
				changed = where
			}
			*j.done = api.ClusterDone{
				Number: j.of.Number, Space: j.of.Space, Members: j.of.refs(),
				State: api.ClusterWaiting, Reason: strings.Join(changed, ", ") + " changed meanwhile",
			}
			return nil
		}
		taken[kb.FoldPath(page.path)] = true // a file that is not indexed yet may have this path
		if err := catchUp(ctx, sess, changes, where); err != nil {
			return err
		}
	}
}

// catchUp reads pages that changed in the meantime, so that their links are known.
func catchUp(ctx context.Context, sess *memory.Session, changes []write.Change, where []string) error {
	for _, c := range changes {
		if c.Expected == nil || !slices.Contains(where, c.Path) {
			continue
		}
		_, _, err := freshness.FindToChange(ctx, sess, c.Space.Name+":"+c.Path)
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return err
		}
	}
	return nil
}

// planChanges returns the changes that write a cluster: the summary, the links that
// point to it from then on, and the members.
func planChanges(ctx context.Context, sess *memory.Session, j job, taken map[string]bool) (changes []write.Change, page summary, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if page, err = compose(ctx, sess, tx, j.space, j.of, j.acts, taken); err != nil {
			return err
		}
		stay := maps.Clone(j.acts)
		delete(stay, kb.NameKey(CompactedInto))
		var led change.Repointed
		led, err = change.RepointLinks(ctx, sess, tx, change.Repoint{
			Pages: j.of.pages(), Acts: stay, To: change.Destination{Space: j.space, Path: page.path, ID: page.id, Name: page.name},
		})
		changes, j.done.Linking, j.done.Left = led.Changes, led.Linking, led.Left
		return err
	})
	if err != nil {
		return nil, page, err
	}
	// The spans of links are those of the unchanged documents, so links come first.
	changes = append(changes, write.Change{Space: j.space, Path: page.path, Action: write.Put{Bytes: page.text, Declare: true}})
	into := page.name
	if doc.ForPath(sess.Codecs, page.path).Format() == doc.Org {
		into = string(page.id)
	}
	for _, m := range j.of.Members {
		changes = append(changes, write.Change{
			Space: j.space, Path: m.page.Path, Of: write.OfPage(m.page), Expected: new(m.page.Version),
			Action: write.Edit{Node: m.page.Node, Edits: []doc.Edit{
				doc.SetProperty{Key: "status", Value: string(kb.Compacted)}, doc.AddRelation{Type: CompactedInto, Target: into},
			}},
		})
	}
	return changes, page, nil
}
