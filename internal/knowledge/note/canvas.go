package note

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// CanvasRequest stores a whole canvas in the current space, with its title.
type CanvasRequest struct {
	api.WriteOptions
	Title     string
	Directory string          // "" is the space's directory for new pages
	Nodes     json.RawMessage // arrays in the form of JSON Canvas 1.0
	Edges     json.RawMessage
	Overwrite bool
}

// canvasExt is the extension of a canvas.
const canvasExt = ".canvas"

// WriteCanvas creates a canvas. It replaces the one with this title in the
// directory only on request: with Overwrite, or with the expected version.
func WriteCanvas(ctx context.Context, sess *memory.Session, req CanvasRequest) (Wrote, error) {
	title := strings.TrimSuffix(strings.TrimSpace(req.Title), canvasExt)
	if title == "" {
		return Wrote{}, kb.Errorf(kb.Usage, "a canvas needs a title").WithReason(kb.PageWithoutName)
	}
	s, err := home(ctx, sess, req.DryRun)
	if err != nil {
		return Wrote{}, err
	}
	dir, err := directory(s.Policy.Folder, req.Directory)
	if err != nil {
		return Wrote{}, err
	}
	at := space.PathIn(s, dir, title, canvasExt)
	body, err := json.Marshal(struct {
		Nodes json.RawMessage `json:"nodes"`
		Edges json.RawMessage `json:"edges"`
	}{arrayOf(req.Nodes), arrayOf(req.Edges)})
	if err != nil {
		return Wrote{}, kb.Errorf(kb.Usage, "nodes and edges are arrays of objects: %w", err)
	}
	text, err := doc.ForPath(sess.Codecs, at).New(doc.NewPage{Body: string(body)})
	if err != nil {
		return Wrote{}, err
	}
	w, err := change.Apply(ctx, sess, "put", req.WriteOptions, []write.Change{{
		Space: s, Path: at, Expected: req.Expected, Action: write.Put{Bytes: text, Overwrite: req.Overwrite},
	}})
	return wrote(ctx, sess, w, err)
}

// arrayOf returns an array, which may be encoded as a string, and an empty array
// when there is none.
func arrayOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		raw = json.RawMessage(text)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("[]")
	}
	return raw
}

// directory returns the directory for a new note.
func directory(folder, asked string) (string, error) {
	if asked == "" {
		return folder, nil
	}
	if strings.Contains("/"+asked+"/", "/../") {
		return "", kb.Errorf(kb.Usage, "the directory %q leads out of the space", asked)
	}
	return strings.Trim(path.Clean("/"+asked), "/"), nil
}
