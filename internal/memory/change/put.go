package change

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// PutRequest stores a whole page.
type PutRequest struct {
	api.WriteOptions
	Ref         string // an existing page's ref, or a slug or path for a new page; "" to derive it from Title
	Title, Type string
	Tags        []string
	Summary     string // one line, for the metadata; "" for none
	Text        []byte
	Overwrite   bool // replace an existing page without an expected version
	Merge       bool // merge with changes since the expected version if they do not overlap
	New         bool // create another page, even if the name is in use

	FileName string // basis of the file name without a Ref; "" for Title
}

// Put stores a whole page. The text is stored unchanged; title, type and tags, if
// set, are added to its metadata.
func Put(ctx context.Context, sess *memory.Session, req PutRequest) (api.Written, error) {
	if err := notText(ctx, sess, req); err != nil {
		return api.Written{}, err
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	if err := store.ForeseeViews(ctx, sess.DB, func() { putAhead(ctx, sess, req) }); err != nil {
		return api.Written{}, err
	}
	space, p, err := Place(ctx, sess, req)
	if err != nil {
		return api.Written{}, err
	}
	if space.Files != nil {
		leave() // what reads files may take long
	}
	bytes, err := Compose(sess, space, p, req)
	if err != nil {
		return api.Written{}, err
	}
	if req.Merge {
		return putMerged(ctx, sess, space, p, bytes, req)
	}
	return Apply(ctx, sess, "put", req.WriteOptions, putAt(space, p, bytes, req))
}

func putAt(space *write.Space, p string, bytes []byte, req PutRequest) []write.Change {
	return []write.Change{{
		Space: space, Path: p, Expected: req.Expected, Action: write.Put{Bytes: bytes, Overwrite: req.Overwrite, KeepID: true, Declare: true},
	}}
}

// putAhead makes the reads of a put in a database space, for store.ForeseeViews.
func putAhead(ctx context.Context, sess *memory.Session, req PutRequest) {
	if req.Ref == "" || req.Merge {
		return
	}
	var at ref.Place
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if at, err = sess.Refs.ToWrite(ctx, tx, req.Ref, req.Expected, req.New); err == nil && at.Page.Row != 0 {
			_, _ = tx.History().Bytes(ctx, at.Page.Hash)
		}
		return err
	})
	if err != nil || at.Space.Kind != kb.DatabaseSpace || at.Page.Node != "" {
		return
	}
	space, p, err := homeOf(ctx, sess, req, at)
	if err != nil {
		return
	}
	if text, err := Compose(sess, space, p, req); err == nil {
		readAhead(ctx, sess, stampProject(sess, requestOf(sess, "put", req.WriteOptions, putAt(space, p, text, req))))
	}
}

// notText refuses to create an empty page with a name that looks like its intended
// text.
func notText(ctx context.Context, f *memory.Session, req PutRequest) error {
	if len(bytes.TrimSpace(req.Text)) > 0 || !ref.ReadsAsText(req.Ref) {
		return nil
	}
	_, _, err := freshness.Find(ctx, f, req.Ref, f.Refs.ResolveToChange)
	if kb.CodeOf(err) != kb.NotFound && kb.CodeOf(err) != kb.Usage {
		return nil
	}
	return kb.Errorf(kb.Usage, "%q looks like the text of a page, but is given as its name; there is no text", req.Ref).
		WithHint("Give it as the text, and name the page by a slug such as ideas/cairn, or by a title.")
}

// Compose adds the requested metadata to the text.
func Compose(sess *memory.Session, space *write.Space, p string, req PutRequest) ([]byte, error) {
	if strings.ContainsAny(req.Summary, "\r\n") {
		return nil, kb.Errorf(kb.Usage, "a summary is one line")
	}
	kind, more := space.Policy.NewPage(p)
	needed := req.Summary == "" && more[keySummary] == "" && space.Policy.Requires(keySummary, p, cmp.Or(req.Type, kind))
	if req.Title == "" && req.Type == "" && req.Summary == "" && len(req.Tags) == 0 && !needed {
		return req.Text, nil
	}
	codec := doc.ForPath(sess.Codecs, p)
	if codec == nil {
		return req.Text, nil // the write path rejects it, with its reason
	}
	codec = codec.In(space.Syntax)
	d := codec.Parse(p, req.Text)
	if d.Encoding == doc.Opaque {
		return nil, kb.Errorf(kb.Invalid, "the text of %s is not in any known encoding", p).
			WithHint("Nothing was written. Notes are UTF-8 text.")
	}
	if _, has := d.Nodes[0].Property(keySummary); needed && !has {
		var err error
		if req.Summary, err = summaryOf(p, string(d.Text[d.Nodes[0].Head.End:])); err != nil {
			return nil, err
		}
	}
	if d.Nodes[0].Head.Len() == 0 {
		fresh := doc.NewPage{Title: req.Title, Type: cmp.Or(req.Type, kind), Tags: req.Tags, Body: string(d.Text)}
		for _, key := range slices.Sorted(maps.Keys(more)) {
			fresh.Metadata = append(fresh.Metadata, doc.Property{Key: key, Values: []string{more[key]}})
		}
		if req.Summary != "" {
			fresh.Metadata = append(fresh.Metadata, doc.Property{Key: keySummary, Values: []string{req.Summary}})
		}
		return codec.New(fresh)
	}
	var edits []doc.Edit
	if req.Title != "" {
		edits = append(edits, doc.SetTitle{Title: req.Title})
	}
	if req.Type != "" {
		edits = append(edits, doc.SetProperty{Key: "type", Value: req.Type})
	}
	if req.Summary != "" {
		edits = append(edits, doc.SetProperty{Key: keySummary, Value: req.Summary})
	}
	for _, t := range req.Tags {
		edits = append(edits, doc.AddTag{Tag: t})
	}
	return codec.Apply(d, "", edits...)
}

// keySummary is the property with a one-line summary of the page.
const keySummary = "summary"

// maxSummary is the maximum length of a first sentence used as summary, in
// characters: a line of an index file.
const maxSummary = 160

// summaryOf returns the summary of a text without one if the space requires it: its
// first sentence, if that fits in a line.
func summaryOf(path, text string) (string, error) {
	first := sentence.Plain(sentence.First(space.FirstParagraph(retrieve.Prose(text))))
	if n := utf8.RuneCountInString(first); n == 0 || n > maxSummary || strings.ContainsAny(first, "\r\n") {
		return "", kb.Errorf(kb.Invalid, "%s needs a summary, and its first sentence has %d characters (1 to %d)", path, n, maxSummary).
			WithReason(kb.SummaryMissing)
	}
	return first, nil
}

// Place finds the existing or future place of a page: by its ref, else by its
// title. The first page creates the first space, except in a dry run.
func Place(ctx context.Context, sess *memory.Session, req PutRequest) (*write.Space, string, error) {
	look := func(tx store.Tx) (ref.Place, error) {
		return sess.Refs.ToWrite(ctx, tx, req.Ref, req.Expected, req.New)
	}
	if req.Ref == "" {
		if req.Title == "" {
			return nil, "", kb.Errorf(kb.Usage, "a new page needs a slug or a title").WithReason(kb.PageWithoutName)
		}
		s, err := sess.Spaces.OpenForNew(ctx, req.DryRun)
		if err != nil {
			return nil, "", err
		}
		p := space.NewPath(s, cmp.Or(req.FileName, req.Title), Extension(sess, s))
		look = func(tx store.Tx) (ref.Place, error) {
			return ref.Titled(ctx, tx, s.Space, req.Title, p, req.Expected, req.New)
		}
	}
	return Home(ctx, sess, req, look)
}

// Home opens the space of a place, and resolves it again if the result is
// outdated.
func Home(ctx context.Context, sess *memory.Session, req PutRequest, look func(store.Tx) (ref.Place, error)) (*write.Space, string, error) {
	var at ref.Place
	view := func(tx store.Tx) (err error) {
		if err := store.Foresee(ctx, tx, func() { _, _ = look(tx) }); err != nil {
			return err
		}
		at, err = look(tx)
		return err
	}
	err := sess.DB.View(ctx, view)
	// A ref in the form of a path is unambiguous: the write checks the file there.
	said := req.New || doc.ForPath(sess.Codecs, req.Ref) != nil || strings.Contains(req.Ref, "/")
	if err != nil || !said {
		if changed, _ := freshness.Outdated(ctx, sess, at); changed {
			err = sess.DB.View(ctx, view)
		}
	}
	switch {
	case err != nil:
		return nil, "", err
	case at.Page.Node != "":
		return nil, "", PartOf(at.Page)
	}
	return homeOf(ctx, sess, req, at)
}

// homeOf opens the space of a place, and returns the path there.
func homeOf(ctx context.Context, sess *memory.Session, req PutRequest, at ref.Place) (*write.Space, string, error) {
	s, err := sess.Spaces.OpenHome(ctx, at.Space, req.DryRun)
	if err != nil || at.Page.Row != 0 {
		return s, at.Page.Path, err
	}
	if doc.ForPath(sess.Codecs, at.Name) == nil && req.Ref != "" {
		at.Name = space.NamedPath(s, at.Name)
	}
	p, err := at.Path(sess.Codecs, Extension(sess, s))
	return s, p, err
}

// Extension returns the extension of new pages in a space.
func Extension(sess *memory.Session, s *write.Space) string {
	for _, c := range sess.Codecs {
		if string(c.Format()) == s.Policy.Format {
			return c.Extensions()[0]
		}
	}
	return sess.Codecs[0].Extensions()[0]
}
