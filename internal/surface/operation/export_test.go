package operation

import (
	"cmp"
	"errors"
	"github.com/cairn-kb/cairn/internal/api"
)

// Scratch is a set as other memories have it: of two operations, under names
// and in a shape that no operation has.
const Scratch Set = "scratch"

type digInput struct {
	About []string `json:"about" jsonschema:"words, any of which will do"`
	Top   int      `json:"top,omitempty" jsonschema:"default 3"`
}

type digAnswer struct {
	Found map[string]string `json:"found" jsonschema:"texts of pages by their refs"`
	Sure  bool              `json:"sure"`
}

type jotInput struct {
	Note string `json:"note"`
	Page string `json:"page,omitempty"`
	Last int    `json:"page_version,omitempty"`
	Try  bool   `json:"try,omitempty"`
}

type jotAnswer struct {
	Page string `json:"page"`
	Last int    `json:"page_version"`
	New  bool   `json:"new"`
}

// ScratchTools returns the tools of the set.
func ScratchTools() []*Tool {
	return []*Tool{
		adapt(Tool{Name: "dig", Title: "Dig", Description: "Find pages.", Sets: []Set{Scratch, More}}, recall,
			func(in digInput) (recallInput, error) {
				if len(in.About) == 0 {
					return recallInput{}, misuse{"about", errors.New("about is empty")}
				}
				out := recallInput{Query: in.About[0], Limit: cmp.Or(in.Top, 3), Mode: "fts"}
				for _, word := range in.About[1:] {
					out.Query += " OR " + word
				}
				return out, nil
			},
			func(_ digInput, found recallAnswer) (digAnswer, error) {
				out := digAnswer{Found: map[string]string{}, Sure: found.Total > 0 && !found.Relaxed}
				for _, r := range found.Items {
					out.Found[r.Ref] = r.Text
				}
				return out, nil
			}),
		adapt(Tool{Name: "jot", Title: "Jot", Description: "Write a page.", Sets: []Set{Scratch}}, writePage,
			func(in jotInput) (writeInput, error) {
				opts := writeOptions{WriteOptions: api.WriteOptions{DryRun: in.Try}}
				if in.Last > 0 {
					opts.Expected = &in.Last
				}
				return writeInput{Ref: in.Page, Text: in.Note, writeOptions: opts}, nil
			},
			func(in jotInput, w written) (jotAnswer, error) {
				if len(w.Pages) != 1 {
					return jotAnswer{}, errors.New("a page was to be written")
				}
				return jotAnswer{Page: w.Pages[0].Ref, Last: w.Pages[0].Version, New: in.Last == 0}, nil
			}, AtLeast("page_version", 1)),
	}
}
