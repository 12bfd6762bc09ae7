package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// memories is the set whose prompts and index these are.
var memories = []operation.Set{operation.Memories}

// meeting is what an agent is told about taking in a meeting.
const meeting = `Take the meeting below into the memory.
1. memory_ingest with its text as content, source_type meeting, a source_ref that names it, and no pages: it is kept, and the known pages that it mentions come back with their versions.
2. memory_get those that it says something new about. Decide what is a fact for a page's truth, what is evidence for a timeline, who works where since when (links, assertions), what was decided, promised or asked for (pages of type decision, commitment, action_item).
3. memory_ingest once more with the pages: each with expected_version, timeline_entries dated and citing the meeting, assertions with the words that say so as evidence_text. All of it is written or nothing. On a conflict read that page again and repeat.
4. Say what was written, what contradicts what was known (memory_check), and which questions stay open (memory_gap).
Write only what the meeting says. Never store credentials.`

var memoryPrompts = []notePrompt{
	{
		sets: memories, name: "memory_briefing", title: "Briefing", description: "Compile a briefing from the memory as it is now.",
		arguments: []*mcp.PromptArgument{{Name: "since", Description: "a date, last week (default a day ago)"}},
		task:      "Make a short briefing of what follows: what is due, what shifted, what contradicts, what is not known. Name the pages. Leave out what needs nobody.",
		tool:      "briefing", input: map[string]string{"since": "since"},
	},
	{
		sets: memories, name: "memory_ingest_meeting", title: "Ingest a meeting", description: "Take a meeting's transcript into the memory.",
		arguments: []*mcp.PromptArgument{{Name: "transcript", Description: "its text (default: what was said in this session)"}},
		task:      meeting,
	},
}
