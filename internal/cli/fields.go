package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/operation"
)

// jsonFlag is --json, alone or with the fields to print of each item.
type jsonFlag struct {
	asked  bool
	fields []string
}

func (f *jsonFlag) Type() string { return "bool" }

func (f *jsonFlag) String() string {
	switch {
	case !f.asked:
		return "false"
	case len(f.fields) == 0:
		return "true"
	}
	return strings.Join(f.fields, ",")
}

func (f *jsonFlag) Set(value string) error {
	*f = jsonFlag{asked: value != "false"}
	if value == "true" || value == "false" {
		return nil
	}
	for name := range strings.SplitSeq(value, ",") {
		f.fields = append(f.fields, strings.TrimSpace(name))
	}
	return nil
}

// lists says that a command prints a list of T, of whose fields --json can
// choose.
func lists[T any](p *program, cmd *cobra.Command) *cobra.Command {
	if p.lists == nil {
		p.lists = map[*cobra.Command]func() []string{}
	}
	p.lists[cmd] = operation.Fields[T]
	return cmd
}

// checkFields refuses fields that the items of the command do not have.
func (p *program) checkFields(cmd *cobra.Command) error {
	if len(p.flags.json.fields) == 0 {
		return nil
	}
	if p.lists[cmd] == nil {
		return kb.Errorf(kb.Usage, "%s prints no list, so --json takes no fields", cmd.CommandPath())
	}
	there := p.lists[cmd]()
	for _, name := range p.flags.json.fields {
		if !slices.Contains(there, name) {
			return kb.Errorf(kb.Usage, "%s has no field %q", cmd.CommandPath(), name).
				WithHint("Fields are %s.", strings.Join(there, ", ")).With("fields", there)
		}
	}
	return nil
}

// chosen leaves of the items of a list only the given fields, in that order;
// what is said of the list as a whole stays.
func chosen(list []byte, fields []string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(list))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var names []string
	values := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		names = append(names, name.(string))
		values[name.(string)] = value
	}
	if values["items"] != nil {
		var items []map[string]json.RawMessage
		if err := json.Unmarshal(values["items"], &items); err != nil {
			return nil, err
		}
		short := make([][]byte, len(items))
		for i, item := range items {
			short[i] = object(fields, item)
		}
		values["items"] = slices.Concat([]byte{'['}, bytes.Join(short, []byte{','}), []byte{']'})
	}
	return object(names, values), nil
}

// object writes those of the named values that there are as a JSON object.
func object(names []string, values map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for _, name := range names {
		if values[name] == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strconv.AppendQuote(out, name), ':')
		out = append(out, values[name]...)
	}
	return append(out, '}')
}
