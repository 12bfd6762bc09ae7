package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/ingest"
	"github.com/cairn-kb/cairn/internal/transfer"
)

// Transfers is what comes into the memory from outside, and leaves it.
type Transfers struct{ app *App }

// Transfers returns what comes into the memory from outside.
func (a *App) Transfers() Transfers { return Transfers{a} }

// Ingest keeps a source and carries out what was planned of it; see ingest.Engine.Ingest.
func (t Transfers) Ingest(ctx context.Context, req IngestRequest) (IngestAnswer, error) {
	a := t.app
	e := &ingest.Engine{
		DB: a.db, Spaces: a.spaces, Codecs: a.codecs, Embedding: a.embedding, Change: a.change, Actor: a.opts.Actor, Now: a.opts.Now,
	}
	return e.Ingest(ctx, req)
}

// ReadIngestPlan reads the pages of a plan; see ingest.ReadPlan.
func ReadIngestPlan(text []byte) ([]IngestPage, error) { return ingest.ReadPlan(text) }

// SourceTypes are what a source can be.
func SourceTypes() []string { return ingest.Types() }

// ImportKT imports a database of kt; see transfer.Engine.KT.
func (t Transfers) ImportKT(ctx context.Context, req ImportRequest) (ImportReceipt, error) {
	return t.engine().KT(ctx, req)
}

// ImportExport imports the export of another program; see transfer.Engine.Export.
func (t Transfers) ImportExport(ctx context.Context, req ExportRequest) (ImportReceipt, error) {
	return t.engine().Export(ctx, req)
}

// NodesOfKT describes pages as kt has them; see transfer.Engine.Nodes.
func (t Transfers) NodesOfKT(ctx context.Context, refs []string, links bool) ([]NodeOfKT, error) {
	return t.engine().Nodes(ctx, refs, links)
}

// ProjectOfKT is what .kt/config of the working directory says.
func (t Transfers) ProjectOfKT() (ProjectOfKT, error) { return t.engine().Project() }

func (t Transfers) engine() *transfer.Engine {
	a := t.app
	return &transfer.Engine{DB: a.db, Spaces: a.spaces, Refs: a.refs, Codecs: a.codecs, Embedding: a.embedding, Change: a.change}
}
