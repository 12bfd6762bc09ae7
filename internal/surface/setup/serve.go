package setup

import "slices"

// Serve says how an entry is to have cairn mcp serve. A field that is nil
// leaves what the entry says, and in a new one what cairn mcp does by itself.
type Serve struct {
	Toolsets *string // names, parted by commas; "" is cairn's own default
	ReadOnly *bool
	Space    *string // "" is the space of the directory
	Usual    string  // toolsets of an entry that names none, where Toolsets is nil
}

// asks reports whether anything is to be said.
func (s Serve) asks() bool {
	return s.Toolsets != nil || s.ReadOnly != nil || s.Space != nil || s.Usual != ""
}

// on returns what an entry says once it was changed as asked.
func (s Serve) on(now serving) serving {
	if s.Toolsets != nil {
		now.toolsets = *s.Toolsets
	}
	if s.Toolsets == nil && now.toolsets == "" {
		now.toolsets = s.Usual
	}
	if s.ReadOnly != nil {
		now.readOnly = *s.ReadOnly
	}
	if s.Space != nil {
		now.space = *s.Space
	}
	return now
}

// serving is how an entry has cairn mcp serve.
type serving struct {
	toolsets string
	readOnly bool
	space    string
}

// args are the arguments of the program.
func (s serving) args() []string {
	args := []string{"mcp"}
	if s.toolsets != "" {
		args = append(args, "--toolsets", s.toolsets)
	}
	if s.readOnly {
		args = append(args, "--read-only")
	}
	if s.space != "" {
		args = append(args, "--space", s.space)
	}
	return args
}

// servingOf reads what args writes; ok is false for arguments that it does not
// write.
func servingOf(args []any) (s serving, ok bool) {
	words := make([]string, len(args))
	for i, a := range args {
		words[i], _ = a.(string)
	}
	for i := 1; i < len(words); i++ {
		last := i == len(words)-1
		switch {
		case words[i] == "--read-only":
			s.readOnly = true
		case words[i] == "--toolsets" && !last:
			i++
			s.toolsets = words[i]
		case words[i] == "--space" && !last:
			i++
			s.space = words[i]
		}
	}
	return s, slices.Equal(words, s.args())
}
