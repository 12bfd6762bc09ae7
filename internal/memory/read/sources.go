package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/store"
)

// SourcesRequest asks for the raw data in a page's sidecar.
type SourcesRequest struct {
	Ref     string
	Source  string // only this one, with its data; "" for all, without data
	Version int    // 0: the newest
	AsOf    string // a time or date phrase: the version of that time
}

// ReadSources reads the raw data in a page's sidecar.
func ReadSources(ctx context.Context, sess *memory.Session, req SourcesRequest) (api.Sources, error) {
	text, err := Get(ctx, sess, GetRequest{Ref: req.Ref, Version: req.Version, AsOf: req.AsOf})
	if err != nil {
		return api.Sources{}, err
	}
	out := api.Sources{Ref: text.Ref, Version: text.Version, Items: []api.SourceData{}}
	for _, w := range text.Warnings {
		if w.Code == freshness.WarnBehind || w.Code == freshness.WarnUnmerged || w.Code == freshness.WarnSidecar {
			out.Warnings = append(out.Warnings, w)
		}
	}
	if !text.Side.IsZero() {
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			b, err := tx.History().Bytes(ctx, text.Side)
			if kb.CodeOf(err) == kb.NotFound {
				return kb.Errorf(kb.NotFound, "the sidecar of version %d of %s is not kept any more", text.Version, text.Path).WithReason(kb.VersionPruned)
			}
			if err != nil {
				return err
			}
			return readSidecar(&out, b, req.Source)
		})
	}
	if err != nil {
		e := *kb.AsError(err)
		e.Message = vault.SidecarPath(text.Path) + ": " + e.Message
		return api.Sources{}, &e
	}
	if out.Total = len(out.Items); req.Source != "" && out.Total == 0 {
		return api.Sources{}, kb.Errorf(kb.NotFound, "%s has no data from %s", text.Ref, req.Source).WithReason(kb.NoSuchSource).WithFact("ref", text.Ref)
	}
	return out, nil
}

// readSidecar reads the sources in a sidecar, or one with its data.
func readSidecar(s *api.Sources, text []byte, only string) error {
	f, err := sidecar.Parse(text)
	if err != nil {
		return err
	}
	for _, x := range f.Sources {
		data := f.Data(x)
		one := api.SourceData{Source: x.Name, Fetched: x.Fetched, Bytes: len(data)}
		switch only {
		case "":
			s.Items = append(s.Items, one)
		case x.Name:
			one.Data = data
			s.Items = append(s.Items, one)
		}
	}
	return nil
}
