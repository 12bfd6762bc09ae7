package importer

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Program says what an export is of.
type Program string

// The exports that are read.
const (
	Claude         Program = "claude conversations"
	ClaudeProjects Program = "claude projects"
	ChatGPT        Program = "chatgpt"
	MemoryJSON     Program = "memory-json"
	BasicMemory    Program = "basic-memory"
	Quaid          Program = "quaid"
)

// Export imports the export of a program, in one write. What an earlier import brought
// stays, and gets what it lacks. Where a part of the export is damaged, nothing is
// written.
func (e *Engine) Export(ctx context.Context, req ExportRequest) (Receipt, error) {
	switch req.Program {
	case Claude:
		return e.claude(ctx, req)
	case ClaudeProjects:
		return e.claudeProjects(ctx, req)
	case ChatGPT:
		return e.chatGPT(ctx, req)
	case MemoryJSON:
		return e.memoryJSON(ctx, req)
	case BasicMemory:
		return e.basicMemory(ctx, req)
	case Quaid:
		return e.quaid(ctx, req)
	}
	return Receipt{}, kb.Errorf(kb.Usage, "%q is no program whose exports are read", req.Program)
}
