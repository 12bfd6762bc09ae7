package terminal

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Choose reduces the items of a list to the given fields, in that order; fields
// of the list itself stay.
func Choose(list []byte, fields []string) ([]byte, error) {
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
