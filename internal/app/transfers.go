package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"

	"github.com/cairn-kb/cairn/internal/transfer/importer"
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

// ImportDirectory copies the documents of a directory; see transfer.Engine.Directory.
func (t Transfers) ImportDirectory(ctx context.Context, req ExportRequest) (ImportReceipt, error) {
	return t.engine().Directory(ctx, req)
}

// Imports lists what came from outside; see transfer.Engine.Imports.
func (t Transfers) Imports(ctx context.Context, limit, offset int) (List[Imported], error) {
	items, total, err := t.engine().Imports(ctx, limit, offset)
	return List[Imported]{Items: items, Total: total, Next: api.Next(offset, len(items), total)}, err
}

// ExportDirectory writes the documents of a space; see export.Engine.Export.
func (t Transfers) ExportDirectory(ctx context.Context, req OutRequest) (Exported, error) {
	return t.exports().Export(ctx, req)
}

// ExportJournal writes the journal of the current space; see journal.Engine.Export.
func (t Transfers) ExportJournal(ctx context.Context, req JournalRequest) (JournalExport, error) {
	return (&exporter.JournalEngine{Change: t.app.change}).Export(ctx, req)
}

// Compare compares two directories; see export.Engine.Compare.
func (t Transfers) Compare(ctx context.Context, original, exported string) (Comparison, error) {
	return t.exports().Compare(ctx, original, exported)
}

// NodesOfKT describes pages as kt has them; see transfer.Engine.Nodes.
func (t Transfers) NodesOfKT(ctx context.Context, refs []string, links bool) ([]NodeOfKT, error) {
	return t.engine().Nodes(ctx, refs, links)
}

// ProjectOfKT is what .kt/config of the working directory says.
func (t Transfers) ProjectOfKT() (ProjectOfKT, error) { return t.engine().Project() }

func (t Transfers) exports() *exporter.Engine {
	return &exporter.Engine{DB: t.app.db, Spaces: t.app.spaces, Codecs: t.app.codecs}
}

func (t Transfers) engine() *importer.Engine {
	a := t.app
	return &importer.Engine{DB: a.db, Spaces: a.spaces, Refs: a.refs, Codecs: a.codecs, Embedding: a.embedding, Change: a.change}
}
