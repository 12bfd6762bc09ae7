package note

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// WriteRequest stores a whole note in the current space, with its title.
type WriteRequest struct {
	api.WriteOptions
	Title, Content string
	Directory      string // "" is the space's directory for new pages
	Type           string // "" is the type in the content, else "note"
	Tags           []string
	Metadata       map[string]any // more frontmatter, nested to any depth
	Overwrite      bool
}

// defaultType is the default type of a note.
const defaultType = "note"

// Write creates a note. It replaces the one with this title in the directory only
// on request: with Overwrite, or with the expected version. An existing note keeps
// its id, permalink and creation time. Frontmatter in the content counts as
// metadata.
func Write(ctx context.Context, sess *memory.Session, req WriteRequest) (Wrote, error) {
	if strings.TrimSpace(req.Title) == "" {
		return Wrote{}, kb.Errorf(kb.Usage, "a note needs a title").WithReason(kb.PageWithoutName)
	}
	s, err := home(ctx, sess, req.DryRun)
	if err != nil {
		return Wrote{}, err
	}
	dir, err := directory(s.Policy.Folder, req.Directory)
	if err != nil {
		return Wrote{}, err
	}
	at := space.PathIn(s, dir, req.Title, change.Extension(sess, s))
	old, there, err := named(ctx, sess, s.Space, at, req.Title)
	if err != nil {
		return Wrote{}, err
	}
	if there {
		if !req.Overwrite && req.Expected == nil {
			return Wrote{}, kb.Errorf(kb.Conflict, "there is a note %q already: %s, in version %d", req.Title, old.Path, old.Version).
				WithHint("Nothing was written.").WithReason(kb.NoteExists).WithFact("ref", old.Ref()).
				With("ref", old.Ref()).With("path", old.Path).With("current_version", old.Version)
		}
		at = old.Path
	}
	text, err := compose(ctx, sess, s, at, old, req)
	if err != nil {
		return Wrote{}, err
	}
	w, err := change.Apply(ctx, sess, "put", req.WriteOptions, []write.Change{{
		Space: s, Path: at, Expected: req.Expected,
		Action: write.Put{Bytes: text, Overwrite: req.Overwrite, KeepID: true, Declare: true},
	}})
	return wrote(ctx, sess, w, err)
}

// home returns the space for a new note: the current one, or the first of several
// if none is chosen.
func home(ctx context.Context, sess *memory.Session, dryRun bool) (*write.Space, error) {
	s, err := sess.Spaces.OpenForNew(ctx, dryRun)
	if kb.CodeOf(err) != kb.Ambiguous {
		return s, err
	}
	all, err := sess.Spaces.All(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return sess.Spaces.OpenSpace(ctx, space.First(all))
}

// named finds the document that a note with this title would replace: at its path,
// or in that directory with another spelling of the title.
func named(ctx context.Context, sess *memory.Session, s kb.Space, at, title string) (found kb.Page, there bool, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := ref.ByName(ctx, tx, title, s)
		if err != nil {
			return err
		}
		same, err := ref.ByName(ctx, tx, link.Slug(at), s)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(append(all, same...), func(p kb.Page) bool { return p.Node != "" || path.Dir(p.Path) != path.Dir(at) })
		slices.SortFunc(all, func(a, b kb.Page) int { return cmp.Compare(a.Path, b.Path) })
		all = slices.CompactFunc(all, func(a, b kb.Page) bool { return a.Row == b.Row })
		if i := slices.IndexFunc(all, func(p kb.Page) bool { return p.Path == at }); i >= 0 {
			all = all[i : i+1]
		}
		switch len(all) {
		case 0:
			return nil
		case 1:
			found, there = all[0], true
			return nil
		}
		paths := make([]string, len(all))
		for i, p := range all {
			paths[i] = p.Path
		}
		return kb.Errorf(kb.Ambiguous, "%d notes in %s are called %q", len(all), path.Dir(at), title).
			WithHint("They are %s.", strings.Join(paths, ", ")).With("candidates", paths)
	})
	return found, there, err
}

// compose builds the text of a note: its content with the given metadata, and the
// permanent metadata of the replaced note.
func compose(ctx context.Context, sess *memory.Session, s *write.Space, at string, old kb.Page, req WriteRequest) ([]byte, error) {
	codec := doc.ForPath(sess.Codecs, at).In(s.Syntax)
	text := []byte(req.Content)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n') // a file ends with a line end
	}
	given := codec.Parse(at, text)
	kind := req.Type
	if kind == "" && given.Nodes[0].Type == "" {
		kind, _ = s.Policy.NewPage(at)
		kind = cmp.Or(kind, defaultType)
	}
	summary, _ := req.Metadata["summary"].(string)
	text, err := change.Compose(sess, s, at, change.PutRequest{Title: req.Title, Type: kind, Tags: req.Tags, Summary: summary, Text: text})
	if err != nil {
		return nil, err
	}
	edits, err := metadataEdits(req.Metadata)
	if err != nil {
		return nil, err
	}
	if old.Row != 0 {
		err := sess.DB.View(ctx, func(tx store.Tx) error {
			was, n, err := document(ctx, sess, tx, old)
			for _, key := range []string{"permalink", "created"} {
				if err != nil {
					return err
				}
				p, had := was.Nodes[n].Property(key)
				if _, has := given.Nodes[0].Property(key); had && !has && req.Metadata[key] == nil && len(p.Values) == 1 {
					edits = append(edits, doc.SetProperty{Key: key, Value: p.Values[0]})
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(edits) == 0 {
		return text, nil
	}
	return codec.Apply(codec.Parse(at, text), "", edits...)
}

// metadataEdits returns edits that set frontmatter keys: a text, a list of texts,
// or any nested value; null removes a key.
func metadataEdits(metadata map[string]any) ([]doc.Edit, error) {
	var edits []doc.Edit
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		switch v := metadata[key].(type) {
		case nil:
			edits = append(edits, doc.RemoveProperty{Key: key})
		case string:
			if key == "title" {
				edits = append(edits, doc.SetTitle{Title: v})
				continue
			}
			edits = append(edits, doc.SetProperty{Key: key, Value: v})
		case bool:
			edits = append(edits, doc.SetProperty{Key: key, Value: strconv.FormatBool(v), Written: true})
		default:
			if texts, ok := textsOf(v); ok {
				edits = append(edits, doc.SetList{Key: key, Values: texts})
				continue
			}
			var b bytes.Buffer // JSON output is valid YAML
			j := json.NewEncoder(&b)
			j.SetEscapeHTML(false)
			if err := j.Encode(v); err != nil {
				return nil, kb.Errorf(kb.Usage, "the metadata %q cannot be written: %w", key, err)
			}
			edits = append(edits, doc.SetProperty{Key: key, Value: strings.TrimSpace(b.String()), Written: true})
		}
	}
	return edits, nil
}

func textsOf(v any) ([]string, bool) {
	list, ok := v.([]any)
	texts := make([]string, len(list))
	for i, item := range list {
		if texts[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return texts, ok && len(list) > 0
}
