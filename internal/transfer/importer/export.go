package importer

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Program is the program that wrote an export.
type Program string

// The supported exports.
const (
	Claude         Program = "claude conversations"
	ClaudeProjects Program = "claude projects"
	ChatGPT        Program = "chatgpt"
	MemoryJSON     Program = "memory-json"
	BasicMemory    Program = "basic-memory"
	Quaid          Program = "quaid"
	KT             Program = "kt"
)

// ImportExport imports the export of a program, in one write. Pages of earlier imports stay,
// and their missing parts are added. If a part of the export is damaged, nothing is written.
func ImportExport(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	if own := req.Program == KT || req.Program == BasicMemory; own && req.Into+req.Folder != "" {
		return Receipt{}, kb.Errorf(kb.Usage, "the spaces of %s are those of the export: leave out the space and the folder", req.Program)
	}
	switch req.Program {
	case Claude:
		return claude(ctx, sess, req)
	case ClaudeProjects:
		return claudeProjects(ctx, sess, req)
	case ChatGPT:
		return chatGPT(ctx, sess, req)
	case MemoryJSON:
		return memoryJSON(ctx, sess, req)
	case BasicMemory:
		return basicMemory(ctx, sess, req)
	case Quaid:
		return quaid(ctx, sess, req)
	case KT:
		return ImportKT(ctx, sess, req.Request)
	}
	if i := slices.IndexFunc(noteSources, func(s Source) bool { return s.Program == req.Program }); i >= 0 {
		return importNotes(ctx, sess, noteSources[i], req)
	}
	return Receipt{}, kb.Errorf(kb.Usage, "unknown export program %q", req.Program)
}
