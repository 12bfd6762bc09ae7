package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// MaxPages is the maximum number of pages of a plan.
const MaxPages = 1000

// ReadPlan reads the pages of a plan: a list of them, or an object with the key
// "pages". A fault is kb.Invalid and names the line; input that is not text is
// kb.Usage.
func ReadPlan(text []byte) ([]api.PlannedPage, error) {
	if err := kb.CheckJSON(text); err != nil {
		return nil, err
	}
	list := text
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		var whole struct {
			Pages json.RawMessage `json:"pages"`
			// Other keys in a plan of past sessions. They are for its reader.
			Evidence json.RawMessage `json:"evidence"`
			Existing json.RawMessage `json:"existing"`
			More     json.RawMessage `json:"more"`
			Notes    json.RawMessage `json:"notes"`
		}
		if err := read(text, 0, text, &whole); err != nil {
			return nil, err
		}
		list = whole.Pages
	}
	if len(bytes.TrimSpace(list)) == 0 {
		return nil, kb.Errorf(kb.Invalid, "the plan has no pages")
	}
	var pages []api.PlannedPage
	if err := read(text, bytes.Index(text, list), list, &pages); err != nil {
		return nil, err
	}
	return pages, check(pages)
}

// read decodes a part of a text that starts at a byte offset.
func read(text []byte, at int, part []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(part))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			return broken(text, at+int(dec.InputOffset()), "there is more after the end")
		}
		return nil
	}
	var (
		syntax *json.SyntaxError
		shape  *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return broken(text, at+int(syntax.Offset), syntax.Error())
	case errors.As(err, &shape):
		return broken(text, at+int(shape.Offset), fmt.Sprintf("%s cannot be a %s", shape.Field, shape.Value))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return broken(text, len(text), "it ends in the middle")
	}
	return broken(text, at+int(dec.InputOffset()), strings.TrimPrefix(err.Error(), "json: "))
}

func broken(text []byte, at int, why string) error {
	line := 1 + bytes.Count(text[:min(at, len(text))], []byte("\n"))
	return kb.Errorf(kb.Invalid, "the plan cannot be read, line %d: %s", line, why).With("line", line)
}

// check rejects pages that contradict themselves or each other.
func check(pages []api.PlannedPage) error {
	if len(pages) > MaxPages {
		return kb.Errorf(kb.Invalid, "the plan has %d pages, more than %d", len(pages), MaxPages).With("pages", len(pages)).With("most", MaxPages)
	}
	seen := map[string]int{}
	for i, p := range pages {
		bad := func(format string, args ...any) error {
			return kb.Errorf(kb.Invalid, "page %d of the plan, %q: %s", i+1, p.Slug, fmt.Sprintf(format, args...)).With("page", i+1)
		}
		key := kb.NameKey(p.Slug)
		switch first, twice := seen[key]; {
		case strings.TrimSpace(p.Slug) == "":
			return bad("there is no slug")
		case twice:
			return bad("page %d is the same one", first)
		case p.Content != nil && (p.Truth != nil || p.Append != "" || len(p.Frontmatter) > 0):
			return bad("content is the whole page: compiled_truth, timeline_append and frontmatter are parts of one")
		}
		seen[key] = i + 1
		for _, l := range p.Links {
			if strings.TrimSpace(l.To) == "" {
				return bad("a link leads nowhere: it needs to")
			}
		}
		for _, e := range p.Entries {
			if strings.TrimSpace(e.Summary) == "" || e.Date == "" {
				return bad("a timeline entry needs date and summary")
			}
		}
		for _, a := range p.Assertions {
			if a.Subject == "" || a.Predicate == "" || a.Object == "" {
				return bad("an assertion needs subject, predicate and object")
			}
		}
	}
	return nil
}
