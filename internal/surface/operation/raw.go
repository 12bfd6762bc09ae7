package operation

import (
	"bytes"
	"cmp"
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type rawInput struct {
	Ref     string `json:"ref"`
	Source  string `json:"source,omitempty" jsonschema:"return its data; absent: list the sources"`
	Version int    `json:"version,omitempty" jsonschema:"default the newest"`
	AsOf    string `json:"as_of,omitempty" jsonschema:"date or time"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens, about (default 4000)"`
}

type rawAnswer struct {
	Ref     string      `json:"ref"`
	Version int         `json:"version"`
	Items   []rawSource `json:"items"`
	Total   int         `json:"total"`
	Notes   []string    `json:"notes,omitempty"`
}

type rawSource struct {
	Source  string `json:"source"`
	Fetched string `json:"fetched,omitempty"`
	Bytes   int    `json:"bytes" jsonschema:"size of the data"`
	Data    any    `json:"data,omitempty"`
	Begins  string `json:"begins,omitempty" jsonschema:"of data that does not fit the budget: how it begins"`
}

var rawData = define(Operation{
	Name: "raw", Title: "Data of a page", Group: more, Route: Route{"GET", "/raw/{ref...}"},
	Description: "JSON data of other programs, stored with a page: the sources with time and size, or the data of one.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in rawInput) (rawAnswer, error) {
	s, err := read.ReadSources(ctx, a, read.SourcesRequest{Ref: in.Ref, Source: in.Source, Version: in.Version, AsOf: in.AsOf})
	out := rawAnswer{Ref: s.Ref, Version: s.Version, Items: []rawSource{}, Total: s.Total, Notes: a.Notes()}
	for _, w := range s.Warnings {
		out.Notes = append(out.Notes, w.Text)
	}
	for _, x := range s.Items {
		one := rawSource{Source: x.Source, Fetched: x.Fetched, Bytes: x.Bytes}
		if limit := cmp.Or(in.Budget, defaultBudget) * bytesPerToken; len(x.Data) > limit {
			one.Begins = string(bytes.ToValidUTF8(x.Data[:limit], nil))
		} else if x.Data != nil {
			one.Data = x.Data
		}
		out.Items = append(out.Items, one)
	}
	return out, err
}, AtLeast("version", 0), Between("budget", 1, maxBudget))

type rawStoreInput struct {
	Ref       string `json:"ref"`
	Source    string `json:"source" jsonschema:"who gave it, such as crustdata"`
	Data      []byte `json:"data" jsonschema:"any JSON, up to 1 MiB"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace what the source gave before"`
	writeOptions
}

var rawStore = define(Operation{
	Name: "raw_store", Title: "Store data for a page", Group: more, Route: Route{"POST", "/raw/{ref...}"},
	Description: "Store JSON data of another program with a page, under the name of the source. It is a new version of the page.",
}, func(ctx context.Context, a *memory.Session, in rawStoreInput) (written, error) {
	w, err := change.StoreSource(ctx, a, change.StoreRequest{
		WriteOptions: in.WriteOptions, Ref: in.Ref, Source: in.Source, Data: in.Data, Overwrite: in.Overwrite,
	})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0), anyValue("data"))

// anyValue lets a field have any value. The field is of type []byte: it gets the value
// as it is written.
func anyValue(field string) Shaping {
	return func(s *jsonschema.Schema) {
		s.Properties[field] = &jsonschema.Schema{Description: s.Properties[field].Description}
	}
}
