package sessions

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// DistilRequest asks for lessons from past sessions.
type DistilRequest struct {
	ListRequest          // Limit is the maximum number of pages; Offset is ignored
	Kinds       []string // all when empty
}

// maxEvidence is the maximum number of sentences for a planned page.
const maxEvidence = 5

// Distil plans a page for each decision, correction, preference and lesson of past
// sessions, newest session first, with the sentence as its evidence. It writes
// nothing. An existing page of that name in the current space is left unchanged.
func Distil(ctx context.Context, sess *memory.Session, req DistilRequest) (out api.Distilled, err error) {
	out.Pages, out.Evidence = []api.DistilledPage{}, []api.SaidEvidence{}
	for _, k := range req.Kinds {
		if !slices.Contains(transcript.Kinds(), transcript.Kind(k)) {
			return out, kb.Errorf(kb.Usage, "unknown kind %q", k).WithHint("Kinds are %s.", kb.Listed(transcript.Kinds()))
		}
	}
	most := api.Limit(req.Limit)
	req.Limit, req.Offset = 0, 0
	all, err := List(ctx, sess, req.ListRequest)
	if err != nil {
		return out, err
	}
	format, err := formatOfPages(ctx, sess)
	if err != nil {
		return out, err
	}
	d := distil{sess: sess, kinds: req.Kinds, most: most, format: format, at: map[string]int{}, out: &out}
	for _, p := range all.Items {
		if err := d.session(ctx, p); err != nil {
			return out, err
		}
		if out.More {
			break
		}
	}
	return out, nil
}

// distil is the state of one run.
type distil struct {
	sess   *memory.Session
	kinds  []string
	most   int
	format doc.Format     // of the planned pages
	at     map[string]int // planned pages, by slug; -1 for one that exists
	out    *api.Distilled
}

// formatOfPages returns the format of new pages in the current space.
func formatOfPages(ctx context.Context, sess *memory.Session) (doc.Format, error) {
	s, err := sess.Spaces.Current(ctx)
	if code := kb.CodeOf(err); code == kb.NotFound || code == kb.Ambiguous { // the space is chosen, or created, when the plan is applied
		return doc.Markdown, nil
	}
	if err != nil {
		return "", err
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return "", err
	}
	if w.Policy.Format == string(doc.Org) {
		return doc.Org, nil
	}
	return doc.Markdown, nil
}

// session adds the sentences of a session.
func (d *distil) session(ctx context.Context, p api.PastSession) error {
	name, slug, _ := strings.Cut(p.Ref, ":")
	s, err := d.sess.Spaces.ByName(ctx, name)
	if err != nil {
		return err
	}
	space, err := d.sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return err
	}
	text, _, err := fsys.ReadFile(ctx, space.Files, slug+".md", maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before := map[transcript.Role]string{} // last message of each role
	for _, t := range transcript.Turns(text) {
		for _, f := range t.Distil() {
			if len(d.kinds) > 0 && !slices.Contains(d.kinds, string(f.Kind)) {
				continue
			}
			e := api.SaidEvidence{
				Kind: string(f.Kind), Rule: f.Rule, Quote: f.Quote, Session: p.Ref, Turn: t.N, By: string(t.Role), Line: t.Line, Resume: p.Resume,
			}
			switch t.Role {
			case transcript.User:
				e.Before = before[transcript.Assistant]
			case transcript.Assistant:
				e.Before = before[transcript.User]
			}
			if at := t.Time; !at.IsZero() {
				e.At = &at
			}
			if err := d.add(ctx, e, p.Ended); err != nil || d.out.More {
				return err
			}
		}
		before[t.Role] = t.Gist()
	}
	return nil
}

// add plans a page for a sentence, or adds the sentence to its planned page.
func (d *distil) add(ctx context.Context, e api.SaidEvidence, ended time.Time) error {
	title := strings.TrimRight(transcript.OneLine(e.Quote, 80), ".!…: ")
	quote := doc.Quoted(d.format, e.Quote) // links and tags of a transcript must not take effect
	e.Slug = e.Kind + "s/" + doc.Slug(title)
	i, known := d.at[e.Slug]
	if !known {
		there, err := d.exists(ctx, e.Slug)
		switch {
		case err != nil:
			return err
		case there:
			i = -1
			d.out.Existing++
		case len(d.out.Pages) == d.most:
			d.out.More = true
			return nil
		default:
			i = len(d.out.Pages)
			d.out.Pages = append(d.out.Pages, api.DistilledPage{
				Slug: e.Slug, Truth: quote + "\n", Frontmatter: map[string]string{"title": title, "type": e.Kind},
			})
		}
		d.at[e.Slug] = i
	}
	if i < 0 || len(d.out.Pages[i].Entries) == maxEvidence {
		return nil
	}
	if e.At != nil {
		ended = *e.At
	}
	entry := api.PlannedEntry{Date: ended.Format(time.DateOnly), Source: e.Session + " turn " + strconv.Itoa(e.Turn), Summary: "The " + e.By + " said: " + quote}
	d.out.Pages[i].Entries = append(d.out.Pages[i].Entries, entry)
	d.out.Evidence = append(d.out.Evidence, e)
	return nil
}

// exists reports whether the current space has a page with a slug.
func (d *distil) exists(ctx context.Context, slug string) (there bool, err error) {
	err = d.sess.DB.View(ctx, func(tx store.Tx) error {
		_, err := d.sess.Refs.ResolveToChange(ctx, tx, slug)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		there = err == nil || kb.CodeOf(err) == kb.Ambiguous
		if there {
			err = nil
		}
		return err
	})
	return there, err
}
