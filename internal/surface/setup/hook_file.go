package setup

import (
	"bytes"
	"encoding/json"
	"strings"
)

// hookFile is a file of its own that holds nothing but the hook, in the form of
// Copilot CLI.
type hookFile struct{ hook }

const (
	copilotFormat = " --format copilot "
	hookFormat    = " --format hook "
)

// line is the command as the file has it.
func (h hookFile) line() string {
	return strings.Replace(h.command(), hookFormat, copilotFormat, 1)
}

func (h hookFile) written() string {
	return indented(`{"version":1,"hooks":{"sessionStart":[{"type":"command","command":`+quoted(h.line())+`}]}}`, "", "  ") + "\n"
}

func (h hookFile) add(text []byte) ([]byte, error) {
	fresh := hookFile{h.instead(h.hook)}
	as, whose := h.owned(text)
	switch {
	case whose == nobody:
		return []byte(fresh.written()), nil
	case whose == ours && h.instead(as.hook).command() != as.command():
		return []byte(hookFile{h.instead(as.hook)}.written()), nil
	}
	return text, nil
}

func (h hookFile) drop(text []byte) ([]byte, error) {
	if _, whose := h.owned(text); whose == ours {
		return nil, nil
	}
	return text, nil
}

func (h hookFile) find(text []byte) (part, owner, error) {
	as, whose := h.owned(text)
	return as, whose, nil
}

// owned returns the hook in a file and its owner.
func (h hookFile) owned(text []byte) (as hookFile, whose owner) {
	if len(bytes.TrimSpace(text)) == 0 {
		return h, nobody
	}
	var file struct {
		Hooks struct {
			SessionStart []struct{ Command string }
		}
	}
	if json.Unmarshal(text, &file) != nil || len(file.Hooks.SessionStart) != 1 {
		return h, byHand
	}
	read, ok := h.read(strings.Replace(file.Hooks.SessionStart[0].Command, copilotFormat, hookFormat, 1))
	if as = (hookFile{read}); !ok || !sameJSON(text, as.written()) {
		return h, byHand
	}
	if !h.known(read.path) {
		return as, byHand
	}
	return as, ours
}
