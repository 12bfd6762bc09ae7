package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/compaction"
	"github.com/cairn-kb/cairn/internal/transfer"
)

// Capture stores texts as they come up; see capture.Engine.Capture.
func (a *App) Capture(ctx context.Context, req CaptureRequest) (CaptureAnswer, error) {
	return a.capture.Capture(ctx, req)
}

// Context says what the caller's space knows now; see gist.Engine.Brief.
func (a *App) Context(ctx context.Context, req ContextRequest) (ContextBrief, error) {
	return a.gist.Brief(ctx, req)
}

// Show says where a page stands, with its links if they are wanted.
func (a *App) Show(ctx context.Context, ref string, links bool) (ShownPage, error) {
	p, err := a.fresh.Page(ctx, ref)
	if err != nil {
		return ShownPage{}, err
	}
	return a.gist.Show(ctx, p, links)
}

// Compaction is what becomes of stale pages.
type Compaction struct{ *compaction.Engine }

// Compaction returns what makes one page of several stale ones.
func (a *App) Compaction() Compaction { return Compaction{a.compaction} }

// ReadCompactPlan reads a plan of a compaction that somebody wrote.
func ReadCompactPlan(text []byte) (*CompactPlan, error) { return compaction.ReadPlan(text) }

// ImportKT imports a database of kt; see transfer.Engine.KT.
func (a *App) ImportKT(ctx context.Context, req ImportRequest) (ImportReceipt, error) {
	return a.transfer().KT(ctx, req)
}

// ImportExport imports the export of another program; see transfer.Engine.Export.
func (a *App) ImportExport(ctx context.Context, req ExportRequest) (ImportReceipt, error) {
	return a.transfer().Export(ctx, req)
}

// NodesOfKT describes pages as kt has them; see transfer.Engine.Nodes.
func (a *App) NodesOfKT(ctx context.Context, refs []string, links bool) ([]NodeOfKT, error) {
	return a.transfer().Nodes(ctx, refs, links)
}

// ProjectOfKT is what .kt/config of the working directory says.
func (a *App) ProjectOfKT() (ProjectOfKT, error) { return a.transfer().Project() }

func (a *App) transfer() *transfer.Engine {
	return &transfer.Engine{DB: a.db, Spaces: a.spaces, Refs: a.refs, Codecs: a.codecs, Embedding: a.embedding, Change: a.change}
}
