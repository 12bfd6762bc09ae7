package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// memories is the set of these prompts and this index.
var memories = []operation.Set{operation.Memories}

// meeting instructs an agent how to take in a meeting.
const meeting = `Take the meeting below into the memory.
1. memory_ingest with its text as content, source_type meeting, a source_ref that names it, and no pages: it is stored, and the known pages that it mentions are returned with their versions.
2. memory_get those with news in it. Sort out facts for a page's truth, evidence for a timeline, jobs and their dates (links, assertions), and decisions, promises and requests (pages of type decision, commitment, action_item).
3. memory_ingest once more with the pages: each with expected_version, timeline_entries dated and citing the meeting, assertions with the supporting words as evidence_text. All of it is written or nothing. On a conflict read that page again and repeat.
4. Report the pages written, contradictions with earlier knowledge (memory_check), and open questions (memory_gap).
Write only facts from the meeting. Never store credentials.`

var memoryPrompts = []notePrompt{
	{
		sets: memories, name: "memory_briefing", title: "Briefing", description: "Compile a briefing from the memory as it is now.",
		arguments: []*mcp.PromptArgument{{Name: "since", Description: "a date, last week (default a day ago)"}},
		task:      "Make a short briefing of the following: due items, shifts, contradictions, open questions. Name the pages. Leave out items that need no attention.",
		tool:      "briefing", input: map[string]string{"since": "since"},
	},
	{
		sets: memories, name: "memory_ingest_meeting", title: "Ingest a meeting", description: "Take a meeting's transcript into the memory.",
		arguments: []*mcp.PromptArgument{{Name: "transcript", Description: "its text (default: this session)"}},
		task:      meeting,
	},
}
