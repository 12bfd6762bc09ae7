package importer

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Node is a page in the format of kt, key for key, with its ref.
type Node struct {
	ID               string    `json:"id"`
	Ref              string    `json:"ref"`
	Namespace        string    `json:"namespace"`
	Title            string    `json:"title"`
	Content          string    `json:"content"`
	Status           kb.Status `json:"status"`
	SourceType       string    `json:"source_type"`
	Tags             []string  `json:"tags"`
	EmbeddingPending bool      `json:"embedding_pending"`
	CompactedInto    *string   `json:"compacted_into"`
	CreatedAt        time.Time `json:"created_at"`
	UpdatedAt        time.Time `json:"updated_at"`
	StaleAt          *string   `json:"stale_at"` // a day
	SessionID        *string   `json:"session_id"`
	Links            []Link    `json:"links,omitempty"` // from it
}

// Link is a relation in the format of kt.
type Link struct {
	ID        string  `json:"id"`
	SourceID  string  `json:"source_id"`
	TargetID  string  `json:"target_id"`
	LinkType  string  `json:"link_type"`
	Context   *string `json:"context"`
	CreatedAt *string `json:"created_at"` // the day from which it holds, if given
}

// The metadata keys of pages for columns of kt, and the relation of a page to the page that
// it was compacted into.
const (
	keyUpdated    = "updated"
	keySource     = "source"
	keySession    = "session"
	compactedInto = "compacted_into"
)

// idForm is the format of kt's ids.
var idForm = lazyregexp.New(`^kt-[0-9a-z]{4,}$`)

// nodes describes pages within a transaction.
type nodes struct {
	*memory.Session
	tx      store.Tx
	viewer  *api.Viewer
	pending map[int64]bool // pages that wait for the model; nil if there is no model and all pages wait
}

// NodesOfKT describes the pages of refs, with their outgoing links on request.
func NodesOfKT(ctx context.Context, sess *memory.Session, refs []string, links bool) ([]Node, error) {
	model, err := embedding.ChosenModel(ctx, sess)
	if err != nil && kb.CodeOf(err) != kb.NotFound { // without a model, all pages wait
		return nil, err
	}
	out := make([]Node, 0, len(refs))
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		n := nodes{Session: sess, tx: tx}
		if n.viewer, err = api.NewViewer(ctx, tx); err != nil {
			return err
		}
		if model.Name != "" {
			waiting, err := tx.Vectors().Stale(ctx, model.Name, embedding.Version(), nil)
			if err != nil {
				return err
			}
			n.pending = map[int64]bool{}
			for _, w := range waiting {
				n.pending[w.Row] = true
			}
		}
		for _, raw := range refs {
			p, err := sess.Refs.Resolve(ctx, tx, raw)
			if err != nil {
				return err
			}
			node, err := n.node(ctx, p, links)
			if err != nil {
				return err
			}
			out = append(out, node)
		}
		return nil
	})
	return out, err
}

// id returns the id that a page had in kt, or else its short id here.
func (n *nodes) id(ctx context.Context, p kb.Page) (string, error) {
	for _, a := range p.Aliases {
		if idForm().MatchString(a) {
			return a, nil
		}
	}
	shown, err := n.viewer.Pages(ctx, []kb.Page{p})
	if err != nil {
		return "", err
	}
	return shown[0].Short, nil
}

func (n *nodes) node(ctx context.Context, p kb.Page, links bool) (Node, error) {
	source, err := n.tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return Node{}, err
	}
	d := doc.ForNote(n.Session.Codecs, p.Syntax, p.Path).Parse(p.Path, source)
	at, err := d.NodeIndex(p.Node)
	if err != nil {
		return Node{}, err
	}
	said := func(key string) *string {
		if x, ok := d.Nodes[at].Property(key); ok && len(x.Values) > 0 {
			return &x.Values[0]
		}
		return nil
	}
	out := Node{
		Ref: p.Ref(), Namespace: p.Space, Title: p.Title, Content: ingest.Body(d, at), Status: p.Status, SourceType: preset, Tags: p.Tags,
		EmbeddingPending: n.pending == nil || n.pending[p.Row], CreatedAt: p.Created.UTC(), UpdatedAt: p.Updated.UTC(),
		StaleAt: said(write.KeyStaleSince), SessionID: said(keySession),
	}
	if s := said(keySource); s != nil {
		out.SourceType = *s
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	if p.Created.IsZero() {
		out.CreatedAt = out.UpdatedAt
	}
	if out.ID, err = n.id(ctx, p); err != nil {
		return out, err
	}
	err = n.links(ctx, p, &out, links)
	return out, err
}

// links adds the targets of a page's relations.
func (n *nodes) links(ctx context.Context, p kb.Page, out *Node, all bool) error {
	ends, err := n.tx.Links().From(ctx, p.Row)
	if err != nil {
		return err
	}
	if all {
		out.Links = []Link{}
	}
	for _, end := range ends {
		l := end.Link
		if l.Type == "" || l.Type == kb.PlainLink || l.To == 0 || !all && l.Type != compactedInto {
			continue
		}
		to, err := n.tx.Pages().Get(ctx, []int64{l.To})
		if err != nil || len(to) == 0 {
			return err
		}
		id, err := n.id(ctx, to[0])
		if err != nil {
			return err
		}
		if l.Type == compactedInto {
			out.CompactedInto = &id
			continue
		}
		link := Link{ID: out.ID + "-" + l.Type + "-" + id, SourceID: out.ID, TargetID: id, LinkType: l.Type}
		if l.Context != "" {
			link.Context = &l.Context
		}
		if l.ValidFrom != "" {
			link.CreatedAt = &l.ValidFrom
		}
		out.Links = append(out.Links, link)
	}
	return nil
}
