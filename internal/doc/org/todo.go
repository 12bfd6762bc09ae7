package org

import "bytes"

// todoWords are the keywords that make a heading a task.
type todoWords struct {
	open, done map[string]bool
}

func (t todoWords) has(word string) bool { return word != "" && (t.open[word] || t.done[word]) }

// readTodoWords reads #+TODO, #+SEQ_TODO and #+TYP_TODO lines before the
// first heading. Without any, the words are TODO and DONE.
func readTodoWords(text []byte, marks []mark) todoWords {
	words := todoWords{map[string]bool{}, map[string]bool{}}
	end := len(text)
	for _, m := range marks {
		if m.kind == headingMark {
			end = m.line.Start
			break
		}
	}
	for pos := 0; pos < end; {
		lineStop, next := lineEnd(text, pos)
		if k, ok := readKeywordLine(text, pos, lineStop); ok {
			switch k.key {
			case "todo", "seq_todo", "typ_todo":
				words.add(text[k.value.Start:k.value.End])
			}
		}
		pos = next
	}
	if len(words.open)+len(words.done) == 0 {
		return todoWords{map[string]bool{"TODO": true}, map[string]bool{"DONE": true}}
	}
	return words
}

// add takes one sequence: open words, a bar, done words. Without a bar the
// last word is the done one. "(t!)" after a word is a key, not part of it.
func (t todoWords) add(sequence []byte) {
	open, done, bar := bytes.Cut(sequence, []byte("|"))
	opens := bytes.Fields(open)
	dones := bytes.Fields(done)
	if n := len(opens); !bar && n > 0 {
		opens, dones = opens[:n-1], opens[n-1:]
	}
	for _, w := range opens {
		t.open[bare(w)] = true
	}
	for _, w := range dones {
		t.done[bare(w)] = true
	}
}

func bare(word []byte) string {
	w, _, _ := bytes.Cut(word, []byte("("))
	return string(w)
}
