package vault

import "strings"

// class is a bracket expression: a set of bytes.
type class struct {
	set     [256]bool
	folded  [256]bool // bytes that are in it when case does not matter
	negated bool
}

func (c *class) has(b byte, fold bool) bool {
	return (c.set[b] || fold && c.folded[b]) != c.negated
}

// parseClass reads the bracket expression that text starts with, and returns
// its length. It returns nil when it has no end or names an unknown class.
// A ] in the first place is a member, and so is a - in the first or last.
func parseClass(text string) (*class, int) {
	c := &class{}
	i := 1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		c.negated = true
		i++
	}
	// before is the possible start of a range, 0 for none.
	var before byte
	for first := true; ; first = false {
		if i >= len(text) {
			return nil, 0
		}
		b := text[i]
		switch {
		case b == ']' && !first:
			return c, i + 1
		case b == '\\':
			if i++; i == len(text) {
				return nil, 0
			}
			before = text[i]
			c.set[before] = true
		case b == '-' && before != 0 && i+1 < len(text) && text[i+1] != ']':
			if i++; text[i] == '\\' {
				if i++; i == len(text) {
					return nil, 0
				}
			}
			c.addRange(before, text[i])
			before = 0
		case b == '[' && i+1 < len(text) && text[i+1] == ':':
			name, size, ok := parseClassName(text[i:])
			switch {
			case size == 0:
				return nil, 0
			case !ok:
				before = '['
				c.set['['] = true
			case !c.addNamed(name):
				return nil, 0
			default:
				i += size - 1
				before = 0
			}
		default:
			before = b
			c.set[b] = true
		}
		i++
	}
}

func (c *class) addRange(from, to byte) {
	for b := int(from); b <= int(to); b++ {
		c.set[b] = true
		c.folded[lower(byte(b))] = true
	}
}

// parseClassName reads "[:name:]". The size is 0 when no ] follows at all; ok is false when
// the next ] does not end a name.
func parseClassName(text string) (name string, size int, ok bool) {
	end := strings.IndexByte(text[2:], ']')
	if end < 0 {
		return "", 0, false
	}
	name, ok = strings.CutSuffix(text[2:2+end], ":")
	return name, end + 3, ok
}

func (c *class) addNamed(name string) bool {
	has := namedClasses[name]
	if has == nil {
		return false
	}
	for b := range 128 {
		if has(byte(b)) {
			c.set[b] = true
			if name == "upper" {
				c.folded[lower(byte(b))] = true
			}
		}
	}
	return true
}

// namedClasses are the classes of POSIX, for ASCII.
var namedClasses = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isLetter(b) || isDigit(b) },
	"alpha":  isLetter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return ' ' < b && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return ' ' <= b && b < 0x7f },
	"punct":  func(b byte) bool { return ' ' < b && b < 0x7f && !isLetter(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= lower(b) && lower(b) <= 'f' },
}

func isLetter(b byte) bool { return 'a' <= lower(b) && lower(b) <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
