package doc

import "strings"

// Fence is the fence of the code block in which a line of Markdown is; the zero value is
// outside of one.
type Fence struct{ mark string }

// Line takes the next line, and reports whether it is of a code block, its fences included. A
// fence ends only with one of the same character, at least as long and with nothing after it.
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
