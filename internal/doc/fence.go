package doc

import "strings"

// Fence is the fence of the code block around a line of Markdown; the zero value means that
// there is none.
type Fence struct{ mark string }

// Line takes the next line, and reports whether it belongs to a code block,
// including its fences. A fence only ends with one of the same character, at least
// as long and without text after it.
func (f *Fence) Line(line string) bool {
	line = strings.TrimSpace(line)
	if f.mark != "" {
		if strings.HasPrefix(line, f.mark) && strings.Trim(line, f.mark[:1]) == "" {
			f.mark = ""
		}
		return true
	}
	if m := codeFence().FindStringSubmatch(line); m != nil {
		f.mark = m[1] + m[2]
	}
	return f.mark != ""
}
