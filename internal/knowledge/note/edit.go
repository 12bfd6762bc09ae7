package note

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/store"
)

// Operation is the kind of an edit.
type Operation string

// The operations. When none is set, Update infers it from the text: it replaces the
// section of the first heading, else it appends.
const (
	Update         Operation = ""
	Append         Operation = "append"
	Prepend        Operation = "prepend"
	FindReplace    Operation = "find_replace"
	ReplaceSection Operation = "replace_section"
	InsertBefore   Operation = "insert_before_section"
	InsertAfter    Operation = "insert_after_section"
)

// EditRequest changes a part of a note.
type EditRequest struct {
	api.WriteOptions
	Ref             string
	Operation       Operation
	Content         string
	Section         string // a heading
	Find            string
	Count           int // expected number of occurrences of Find; 0 is once
	KeepSubsections bool
	Metadata        map[string]any // merged into the frontmatter; null removes a key
}

// Edit changes a part of a note; everything else stays byte for byte. action
// describes the change.
func Edit(ctx context.Context, sess *memory.Session, req EditRequest) (Wrote, error) {
	edits, err := metadataEdits(req.Metadata)
	if err != nil {
		return Wrote{}, err
	}
	action := "metadata merged"
	adds := req.Operation == Append || req.Operation == Prepend
	if (req.Operation != Update || req.Content != "") && !(adds && req.Content == "" && len(edits) > 0) {
		edit, err := planEdit(ctx, sess, req)
		if err != nil {
			return Wrote{}, err
		}
		edits, action = append(edits, edit), done(req.Operation, edit)
	}
	w, err := change.Edit(ctx, sess, "edit", req.WriteOptions, req.Ref, edits...)
	if kb.CodeOf(err) == kb.NotFound {
		if p, gone := find(ctx, sess, req.Ref); gone == nil { // the note itself may lack a section
			w, err = change.Edit(ctx, sess, "edit", req.WriteOptions, p.Ref(), edits...)
		}
	}
	out, err := wrote(ctx, sess, w, err)
	if out.Action == "updated" {
		out.Action = action
	}
	return out, err
}

func planEdit(ctx context.Context, sess *memory.Session, req EditRequest) (doc.Edit, error) {
	switch req.Operation {
	case ReplaceSection, InsertBefore, InsertAfter:
		if req.Section == "" {
			return nil, kb.Errorf(kb.Usage, "%s needs a section", req.Operation)
		}
	}
	switch req.Operation {
	case Append:
		return doc.Append{Section: req.Section, Text: req.Content}, nil
	case Prepend:
		return doc.Prepend{Section: req.Section, Text: req.Content}, nil
	case FindReplace:
		if req.Find == "" {
			return nil, kb.Errorf(kb.Usage, "find_replace needs find_text, the text to replace")
		}
		return doc.Replace{Section: req.Section, Old: req.Find, New: req.Content, Expect: req.Count}, nil
	case ReplaceSection:
		return doc.ReplaceSection{Section: req.Section, Text: req.Content, KeepSubsections: req.KeepSubsections}, nil
	case InsertBefore:
		return doc.InsertBefore{Section: req.Section, Text: req.Content}, nil
	case InsertAfter: // below the heading, as in Basic Memory
		return doc.Prepend{Section: req.Section, Text: req.Content}, nil
	case Update:
		p, err := find(ctx, sess, req.Ref)
		if err != nil {
			return nil, err
		}
		var edit doc.Edit
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			d, at, err := document(ctx, sess, tx, p)
			if err == nil {
				edit, err = d.Update(&d.Nodes[at], req.Content)
			}
			return err
		})
		return edit, err
	}
	return nil, kb.Errorf(kb.Usage, "there is no operation %q", req.Operation)
}

// done describes an edit.
func done(op Operation, edit doc.Edit) string {
	switch edit := edit.(type) {
	case doc.Append:
		return "appended"
	case doc.Prepend:
		if op == InsertAfter {
			return "inserted after " + strings.TrimLeft(edit.Section, "# ")
		}
		return "prepended"
	case doc.Replace:
		return "replaced text"
	case doc.ReplaceSection:
		return "replaced section " + strings.TrimLeft(edit.Section, "# ")
	}
	return "inserted before " + strings.TrimLeft(edit.(doc.InsertBefore).Section, "# ")
}
