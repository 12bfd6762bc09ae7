package compact

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/embedding"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// PlanRequest asks for the clusters of stale pages.
type PlanRequest struct {
	All    bool // of every space
	DryRun bool // write nothing, not even a due pass
	Writes bool // the caller compacts the clusters
}

// Plan lists the current clusters. With a title and a summary added to each, it can
// be passed to Compact.
type Plan struct {
	Clusters []Cluster `json:"clusters"`
	Stale    int       `json:"stale,omitempty"` // pages examined
	Notes    []string  `json:"notes,omitempty"` // known gaps of the plan
}

// Cluster is a group of related stale pages of a space.
type Cluster struct {
	Number  int      `json:"cluster"` // from 1; the same as long as no page changes
	Space   string   `json:"space"`
	Members []Member `json:"members"`
	Title   string   `json:"title"`   // of the summary
	Summary string   `json:"summary"` // its text; empty skips the cluster

	extracted bool // Summary consists of sentences of the members
}

// Member is a page of a cluster.
type Member struct {
	Ref        string `json:"ref"`
	Version    int    `json:"version"`
	Title      string `json:"title,omitempty"`
	StaleSince string `json:"stale_since,omitempty"`
	Reason     string `json:"stale_reason,omitempty"`
	Text       string `json:"text,omitempty"` // without metadata and relations

	page    kb.Page
	day     string // of the text
	tags    []string
	summary bool // the page is itself a summary
	turned  bool // a pass that was not written makes it stale
}

// joining are the relations that mark pages as belonging together.
var joining = map[string]bool{kb.NameKey("related"): true, kb.NameKey("relates_to"): true}

// MakePlan finds the clusters, after a due pass.
func MakePlan(ctx context.Context, sess *memory.Session, req PlanRequest) (Plan, error) {
	out := Plan{Clusters: []Cluster{}}
	spaces, err := findSpaces(ctx, sess, req.All)
	if err != nil {
		return out, err
	}
	turned, err := ageing.Ready(ctx, sess, ageing.ReadyRequest{Spaces: spaces, DryRun: req.DryRun, Writes: req.Writes})
	if err != nil {
		return out, err
	}
	for _, s := range spaces {
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil {
			return out, err
		}
		if err := buildPlan(ctx, sess, s, pol, turned, &out); err != nil {
			return out, err
		}
	}
	for i := range out.Clusters {
		out.Clusters[i].Number = i + 1
	}
	return out, nil
}

// findSpaces returns all spaces, or only the current one.
func findSpaces(ctx context.Context, sess *memory.Session, all bool) (out []kb.Space, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if all {
			out, err = tx.Spaces().All(ctx)
		} else {
			out, err = sess.Spaces.MeantTx(ctx, tx)
		}
		return err
	})
	return out, err
}

// buildPlan adds the clusters of a space to the plan.
func buildPlan(ctx context.Context, sess *memory.Session, s kb.Space, pol *policy.Policy, turned ageing.Turned, out *Plan) error {
	rules := pol.Compact
	least, most := rules.Sizes()
	if stale, err := findStale(ctx, sess, s); err != nil || stale+len(turned) < least {
		out.Stale += stale
		return err
	}
	model, err := embedding.ActiveModel(ctx, sess)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out.note("the embedding model cannot be used, so only relations join pages")
	}
	return store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}, Statuses: []kb.Status{kb.Stale}}, store.BySlug, api.Limit(0), 0)
		if err == nil {
			pages, err = afterPass(ctx, tx, s, pages, turned)
		}
		if err != nil {
			return err
		}
		out.Stale += len(pages)
		if len(pages) < least {
			return nil
		}
		joins, err := findJoins(ctx, sess, tx, pages, rules, model, mark, out)
		if err != nil {
			return err
		}
		for _, cluster := range lifecycle.Clusters(len(pages), joins, least, most) {
			c := Cluster{Space: s.Name}
			for _, i := range cluster {
				m, err := member(ctx, sess, tx, pages[i])
				if err != nil {
					return err
				}
				if turn, turns := turned[pages[i].Row]; turns {
					m.turned = true
					m.StaleSince, m.Reason = sess.Now().Format(time.DateOnly), turn.Reason
				}
				c.Members = append(c.Members, m)
			}
			out.Clusters = append(out.Clusters, c)
		}
		return nil
	})
}

// afterPass returns the stale pages of a space after a pass that was not written.
func afterPass(ctx context.Context, tx store.Tx, s kb.Space, stale []kb.Page, turned ageing.Turned) ([]kb.Page, error) {
	if len(turned) == 0 {
		return stale, nil
	}
	stale = slices.DeleteFunc(stale, func(p kb.Page) bool { return turned.Status(p.Row, p.Status) != kb.Stale })
	more, err := tx.Pages().Get(ctx, slices.Sorted(maps.Keys(turned)))
	for _, p := range more {
		if p.SpaceID == s.ID && p.Status != kb.Stale && turned.Status(p.Row, p.Status) == kb.Stale {
			p.Status = kb.Stale
			stale = append(stale, p)
		}
	}
	slices.SortFunc(stale, func(a, b kb.Page) int { return cmp.Or(cmp.Compare(a.Slug, b.Slug), cmp.Compare(a.Row, b.Row)) })
	return stale, err
}

// findStale counts the stale pages of a space.
func findStale(ctx context.Context, sess *memory.Session, s kb.Space) (n int, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		counts, err := tx.Pages().Statuses(ctx, []int64{s.Row})
		if i := slices.IndexFunc(counts, func(c store.Count) bool { return c.Value == string(kb.Stale) }); i >= 0 {
			n = counts[i].N
		}
		return err
	})
	return n, err
}

// note adds a note for the reader of the plan, once.
func (p *Plan) note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(p.Notes, line) {
		p.Notes = append(p.Notes, line)
	}
}

// findJoins returns which pages belong together: those with a relation between
// them, and those with similar text.
func findJoins(ctx context.Context, sess *memory.Session, tx store.Tx, pages []kb.Page, rules policy.Compact, model embed.Embedder, mark int64, out *Plan) ([]lifecycle.Join, error) {
	rows, at := make([]int64, len(pages)), make(map[int64]int, len(pages))
	for i, p := range pages {
		rows[i], at[p.Row] = p.Row, i
	}
	edges, err := tx.Links().EdgesFrom(ctx, rows)
	if err != nil {
		return nil, err
	}
	var joins []lifecycle.Join
	today := sess.Now().Format(time.DateOnly)
	for _, x := range edges {
		if to, stale := at[x.To]; stale && x.From != x.To && joining[kb.NameKey(x.Type)] && x.Interval().Holds(today) {
			joins = append(joins, lifecycle.Join{A: at[x.From], B: to, Weight: lifecycle.Related})
		}
	}
	if model == nil {
		return joins, nil
	}
	near, err := embedding.Pairs(ctx, sess, tx, model, mark, new(vector.Near), rows, func(alike float64) float64 { return cmp.Or(rules.Similarity, alike) })
	if err != nil {
		return nil, err
	}
	for _, p := range near.Pairs {
		joins = append(joins, lifecycle.Join{A: p.A, B: p.B, Weight: p.Score})
	}
	if near.Without > 0 {
		out.note("%s of %s: no embedding yet, so only relations count", api.Plural(near.Without, "stale page"), pages[0].Space)
	}
	return joins, nil
}

// member describes a page of a cluster.
func member(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page) (Member, error) {
	m := Member{Ref: p.Ref(), Version: p.Version, Title: string(secrets.Hide([]byte(p.Title))), page: p, tags: p.Tags, day: p.Created.UTC().Format(time.DateOnly)}
	properties, err := tx.Pages().Properties(ctx, p.Row)
	if err != nil {
		return m, err
	}
	for _, x := range properties {
		switch x.Key {
		case doc.PropertyKey(write.KeyStaleSince):
			m.StaleSince = x.Text
		case doc.PropertyKey(write.KeyReason):
			m.Reason = x.Text
		case doc.PropertyKey(keySource):
			m.summary = x.Text == source
		}
	}
	if changed := max(p.TruthUpdated.Unix(), p.TimelineUpdated.Unix()); p.Created.IsZero() && changed > 0 {
		m.day = time.Unix(changed, 0).UTC().Format(time.DateOnly)
	}
	source, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return m, err
	}
	d := doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, source)
	i, err := d.NodeIndex(p.Node)
	if err != nil {
		return m, err
	}
	m.Text = string(secrets.Hide([]byte(prose(d, i))))
	return m, nil
}

// prose returns a page's own truth and timeline without relations. A link with a
// path is replaced by its visible text, since the path only resolves from its own
// page.
func prose(d *doc.Document, node int) string {
	n := &d.Nodes[node]
	type cut struct {
		doc.Span
		instead string
	}
	var cuts []cut
	for _, r := range n.Relations {
		cuts = append(cuts, cut{r.Span, ""})
	}
	for _, l := range n.Links {
		if l.Kind == doc.MarkLink || l.Kind == doc.OrgFile || l.Kind == doc.Embed {
			cuts = append(cuts, cut{l.Span, cmp.Or(l.Text, l.Name)})
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.Start - b.Start })
	var out strings.Builder
	for _, whole := range []doc.Span{{Start: max(n.Truth.Start, n.Head.End), End: n.Truth.End}, n.Timeline} {
		for _, part := range d.Shown(node, whole) {
			at := part.Start
			for _, c := range cuts {
				if c.Start < at || c.End > part.End {
					continue
				}
				out.Write(d.Text[at:c.Start])
				out.WriteString(c.instead)
				at = c.End
			}
			out.Write(d.Text[at:part.End])
		}
		out.WriteString("\n\n")
	}
	return strings.TrimSpace(strings.ReplaceAll(out.String(), "\r\n", "\n"))
}
