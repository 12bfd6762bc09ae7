package main

import (
	"errors"
	"path"
	"regexp"
	"strings"
)

// turn matches the line that begins a turn of a conversation, with its id.
var turn = regexp.MustCompile(`(?m)^- \[(D[0-9]+:[0-9]+)\] `)

// turnPath is the path of a turn's own note.
func turnPath(conversation, id string) string {
	return conversation + "/" + strings.ReplaceAll(id, ":", "-") + ".md"
}

// cutTurns makes a note of every turn, below what its conversation's note
// begins with, and asks for the turns of the evidence. Questions without are
// left out.
func (s *set) cutTurns() error {
	s.name += "-turns"
	notes := s.notes
	s.notes = nil
	for _, n := range notes {
		at := turn.FindAllSubmatchIndex(n.text, -1)
		for i, m := range at {
			end := len(n.text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			text := append(n.text[:at[0][0]:at[0][0]], n.text[m[0]:end]...)
			s.notes = append(s.notes, note{turnPath(path.Dir(n.path), string(n.text[m[2]:m[3]])), text})
		}
	}
	if len(s.notes) == 0 {
		return errors.New(s.name + ": no note has turns")
	}
	queries := s.queries
	s.queries = nil
	for _, q := range queries {
		if len(q.turns) > 0 {
			s.queries = append(s.queries, judged{text: q.text, want: q.turns})
		}
	}
	return nil
}

// turnTexts are the first lines of the turns of conversations, by the paths of their own
// notes.
func (s *set) turnTexts() map[string]string {
	out := map[string]string{}
	for _, n := range s.notes {
		for _, m := range turn.FindAllSubmatchIndex(n.text, -1) {
			text, _, _ := strings.Cut(string(n.text[m[1]:]), "\n")
			out[turnPath(path.Dir(n.path), string(n.text[m[2]:m[3]]))] = text
		}
	}
	return out
}
