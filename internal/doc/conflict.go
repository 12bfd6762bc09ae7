package doc

import "bytes"

// ConflictLine returns the line, from 1, at which an unfinished merge starts, 0 for none: a
// conflict marker of Git followed by the two others, each at the start of a line; Jujutsu
// has different markers in the middle. Markers in code blocks and examples do not count,
// since texts about merges have them there.
func ConflictLine(text []byte) int {
	if !bytes.Contains(text, []byte("<<<<<<<")) {
		return 0
	}
	const (
		ours = iota
		theirs
		end
	)
	var (
		want, from = ours, 0
		fence      []byte // mark of the open block
	)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = trimLineEnd(line)
		if open := blockMark(line); open != nil && want == ours {
			switch {
			case fence == nil:
				fence = open
			case open[0] == fence[0] && len(open) >= len(fence):
				fence = nil
			}
			continue
		}
		switch {
		case fence != nil:
		case want == ours && marker(line, '<'):
			want, from = theirs, number
		case want == theirs && (marker(line, '=') || marker(line, '%') || marker(line, '+')):
			want = end
		case want == end && marker(line, '>'):
			return from
		}
	}
	return 0
}

func trimLineEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// marker reports whether a line is seven of a sign, alone or with a label.
func marker(line []byte, sign byte) bool {
	const width = 7
	for i := range width {
		if i >= len(line) || line[i] != sign {
			return false
		}
	}
	return len(line) == width || line[width] == ' '
}

// blockMark returns the mark that opens or closes a literal block: a run of `
// or ~ in Markdown, "#" for those of Org. It is nil for other lines.
func blockMark(line []byte) []byte {
	s := bytes.TrimLeft(line, " \t")
	for _, sign := range []byte("`~") {
		n := 0
		for n < len(s) && s[n] == sign {
			n++
		}
		if n >= 3 {
			return s[:n]
		}
	}
	if lower := bytes.ToLower(s[:min(len(s), len("#+begin_"))]); bytes.HasPrefix(lower, []byte("#+begin_")) || bytes.HasPrefix(lower, []byte("#+end_")) {
		return s[:1]
	}
	return nil
}
