// Package transcript reads the session transcripts of agents' clients, and writes each as a
// Markdown page with a heading for each turn.
//
// A Reader takes a transcript line by line and can continue where another one ended: a
// Session holds all the state for that. A line of an unknown type is counted by its type and
// never an error.
//
// Formats were recorded from Claude Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0, OpenCode
// 1.18.33 and Qwen Code 0.15.10; those of Copilot CLI and Cursor follow public descriptions.
package transcript
