package main

// step is a call of a tool, or a change that somebody else makes in between.
type step struct {
	tool, input string
	fails       bool   // the error is part of the task
	write, text string // a file that another program writes before
}

// task is what a user asks of an agent.
type task struct {
	name   string
	steps  []step
	needed int               // tokens
	says   string            // what the last answer has
	lacks  string            // what it must not have
	files  map[string]string // what files have afterwards; "" for one that is gone
}

// tasks are in the order in which they are done: some build on what came before.
var tasks = []task{
	{name: "find a decision", needed: 150, says: "retried three times", steps: []step{
		{tool: "recall", input: `{"query":"how often are imports of Atlas retried?","limit":3,"budget":300}`},
	}},
	{name: "update under conflict", needed: 90, files: map[string]string{"people/Carl Brandt.md": "On leave.\n\nSpeaks Dutch."}, steps: []step{
		{tool: "read", input: `{"ref":"people/Carl Brandt"}`},
		{tool: "edit", input: `{"ref":"people/Carl Brandt","expected_version":1,"edits":[{"do":"append","text":"Speaks Dutch."}]}`, fails: true,
			write: "people/Carl Brandt.md", text: "# Carl Brandt\n\nRuns the warehouse. Letters go to Torstrasse 5.\n\nOn leave.\n"},
		{tool: "edit", input: `{"ref":"people/Carl Brandt","expected_version":2,"edits":[{"do":"append","text":"Speaks Dutch."}]}`},
	}},
	{name: "link two people", needed: 80, files: map[string]string{"people/Ada Byron.md": "- works_with [["}, steps: []step{
		{tool: "edit", input: `{"ref":"Ada Byron","edits":[{"do":"relate","key":"works_with","text":"Carl Brandt"}]}`},
	}},
	{name: "what happened in March 2022", needed: 400, says: "412 boxes", steps: []step{
		{tool: "recall", input: `{"query":"what happened","after":"2022-03-01","before":"2022-03-31"}`},
	}},
	{name: "undo an overwrite", needed: 60, files: map[string]string{"people/Grace Hopper.md": "first compiler"}, steps: []step{
		{tool: "write", input: `{"ref":"people/Grace Hopper","expected_version":1,"text":"# Grace Hopper\n"}`},
		{tool: "undo", input: `{}`},
	}},
	{name: "avoid a duplicate", needed: 100, says: `"existing"`, steps: []step{
		{tool: "remember", input: `{"title":"Retry policy","text":"Imports are retried three times."}`},
	}},
	{name: "fill a gap", needed: 150, says: `"none"`, steps: []step{
		{tool: "recall", input: `{"query":"which wifi password has the guest network?"}`},
	}},
	{name: "read a long page in parts", needed: 3500, says: "with the porter", steps: []step{
		{tool: "read", input: `{"ref":"Handbook","budget":1000}`},
		{tool: "read", input: `{"ref":"Handbook","section":"Chapter 31"}`},
	}},
	{name: "tag 30 pages", needed: 250, files: map[string]string{"papers/paper-29.md": "sampling", "papers/paper-00.md": "sampling"}, steps: []step{
		{tool: "edit", input: `{"where":["path:papers"],"edits":[{"do":"tag","text":"sampling"}]}`},
	}},
	{name: "move a folder of 15", needed: 120, files: map[string]string{"archive/inbox/item-14.md": "number 14", "inbox/item-14.md": ""}, steps: []step{
		{tool: "edit", input: `{"ref":"inbox","edits":[{"do":"move","text":"archive/"}]}`},
	}},
	{name: "what changed since my session", needed: 200, says: "Grace", steps: []step{
		{tool: "browse", input: `{"what":"recent","since":"session"}`, write: "people/Grace.md", text: "# Grace\n\nWrites the manuals, and the labels.\n"},
	}},
	{name: "store a decision with its project", needed: 60, says: `"created"`, steps: []step{
		{tool: "remember", input: `{"title":"Labels of Atlas","text":"Labels are printed in house.","type":"decision","links":["Project Atlas"]}`},
	}},
	{name: "correct a fact everywhere", needed: 150, steps: []step{
		{tool: "edit", input: `{"refs":["Project Atlas","people/Ada Byron","people/Carl Brandt"],"edits":[{"do":"replace","find":"Torstrasse 5","text":"Torstrasse 7"}]}`},
	}, files: map[string]string{"people/Ada Byron.md": "Torstrasse 7", "people/Carl Brandt.md": "Torstrasse 7", "projects/Project Atlas.md": "Torstrasse 7"}},
	{name: "known facts, with citations", needed: 400, says: "text_", steps: []step{
		{tool: "recall", input: `{"query":"Project Atlas","limit":4,"budget":500}`},
	}},
	{name: "rename a tag", needed: 150, files: map[string]string{"archive/inbox/item-03.md": "#permanent"}, steps: []step{
		{tool: "edit", input: `{"edits":[{"do":"rename_tag","find":"evergreen","text":"permanent"}]}`},
	}},
	{name: "find contradicting notes", needed: 250, says: "SQLite", steps: []step{
		{tool: "recall", input: `{"query":"where does Project Atlas store its data?","type":["decision"],"limit":3,"budget":400}`},
	}},
	{name: "continue yesterday's work", needed: 200, says: "XLSX", steps: []step{
		{tool: "recall", input: `{"query":"what is next for the importer?","limit":2,"budget":300}`},
	}},
	{name: "plan from open tasks", needed: 120, says: "Order the labels", lacks: "Move the imports", steps: []step{
		{tool: "browse", input: `{"what":"tasks","open":true}`},
	}},
	{name: "merge two pages", needed: 250, files: map[string]string{"people/Grace Hopper.md": "and the labels", "people/Grace.md": ""}, steps: []step{
		{tool: "edit", input: `{"ref":"people/Grace","edits":[{"do":"merge","text":"people/Grace Hopper"}]}`},
	}},
	{name: "say that nothing is known", needed: 60, says: `"none"`, steps: []step{
		{tool: "recall", input: `{"query":"who won the football world cup of 1974?"}`},
	}},
}
