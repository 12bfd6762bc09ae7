package secrets

import "bytes"

// maxMetadata bounds how much of a page's metadata is unfolded.
const maxMetadata = 64 << 10

// folds calls look with each value of a page's metadata that YAML reads as one line
// although it has several: once with a blank for each line break, as YAML reads it, and
// once with nothing, as somebody reads a token that was broken in two.
func folds(text []byte, look func(*view)) {
	const fence = "---"
	if !bytes.HasPrefix(text, []byte(fence)) {
		return
	}
	text = text[:min(len(text), maxMetadata)]
	for i := lineEnd(text, 0) + 1; i < len(text); {
		end := lineEnd(text, i)
		if bytes.HasPrefix(text[i:end], []byte(fence)) {
			return
		}
		start, indent := foldable(text, i, end)
		next := end + 1
		for next < len(text) && start > 0 && (blanksAt(text, next) > indent || isBreak(text[next])) {
			next = lineEnd(text, next) + 1
		}
		if next > end+1 {
			for _, gap := range []string{" ", ""} {
				look(unfolded(text, i, start, min(next-1, len(text)), gap))
			}
		}
		i = next
	}
}

// foldable returns where the value of the line text[i:end] begins and how far lines that
// go on with it are indented at least. The value begins at 0 where it ends with its line:
// it is empty, or of the kind that keeps its line breaks.
func foldable(text []byte, i, end int) (start, indent int) {
	indent = blanksAt(text, i)
	start = i + indent
	for start+1 < end && text[start] == '-' && text[start+1] == ' ' {
		indent = start - i
		start += 2
	}
	if n := bytes.Index(text[start:end], []byte(": ")); n >= 0 {
		indent = start - i
		start += n + 2
	}
	start = skipAny(text, start, " \t", maxName)
	value := bytes.TrimRight(text[min(start, end):end], " \t\r")
	if len(value) == 0 || value[len(value)-1] == ':' || bytes.IndexByte([]byte("|#[{"), value[0]) >= 0 {
		return 0, indent
	}
	return start, indent
}

// blanksAt counts the blanks at i.
func blanksAt(text []byte, i int) int { return skipAny(text, i, " ", maxName) - i }

// unfolded is the view of text[i:end], whose value begins at start, with gap for each line
// break and the blanks around it.
func unfolded(text []byte, i, start, end int, gap string) *view {
	v := &view{base: i}
	if text[start] == '>' {
		v.text = append(v.text, text[i:start]...)
		to := skipAny(text, lineEnd(text, start)+1, " \t", maxName)
		v.parts = append(v.parts, part{len(v.text), 0, start, to})
		i = to
	}
	for i < end {
		stop := min(end, lineEnd(text, i))
		line := bytes.TrimRight(text[i:stop], " \t\r")
		v.text = append(v.text, line...)
		from, to := i+len(line), skipAny(text, min(end, stop+1), " \t", maxName)
		if stop < end {
			v.parts = append(v.parts, part{len(v.text), len(gap), from, to})
			v.text = append(v.text, gap...)
		}
		i = to
		if stop == end {
			break
		}
	}
	return v
}
