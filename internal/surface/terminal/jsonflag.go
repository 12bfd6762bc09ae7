package terminal

import "strings"

// JSONFlag is --json, alone or with the fields to print of each item.
type JSONFlag struct {
	Asked  bool
	Fields []string
}

// Type makes the value of the flag optional.
func (f *JSONFlag) Type() string { return "bool" }

// String is the value as it would be given.
func (f *JSONFlag) String() string {
	switch {
	case !f.Asked:
		return "false"
	case len(f.Fields) == 0:
		return "true"
	}
	return strings.Join(f.Fields, ",")
}

// Set reads true, false, or names of fields.
func (f *JSONFlag) Set(value string) error {
	*f = JSONFlag{Asked: value != "false"}
	if value == "true" || value == "false" {
		return nil
	}
	for name := range strings.SplitSeq(value, ",") {
		f.Fields = append(f.Fields, strings.TrimSpace(name))
	}
	return nil
}
