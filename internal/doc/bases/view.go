package bases

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// View is a view that only filters pages, sorts them, and shows their properties.
type View struct {
	Name        string
	Types, Tags []string // pages must have one of the types, and all tags
	Folder      string   // pages below it; "" for all
	Where       []string // conditions such as stage=design, n>2, stage=*
	Order       []string // properties
	Sort        string   // a property, title, updated or created; "" for none
	Down        bool
	Needs       string // the reason why only Obsidian can show it; "" if the fields above describe it completely
}

// Views reads the views of a base.
func Views(text []byte) ([]View, error) {
	if err := check(text); err != nil {
		return nil, kb.Errorf(kb.Invalid, "invalid base: %w", err)
	}
	var root yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); err != nil || len(root.Content) == 0 {
		return nil, nil // comments only
	}
	base := root.Content[0]
	var all View
	all.filter(member(base, "filters"))
	if member(base, "formulas") != nil {
		all.need("formulas")
	}
	var out []View
	views := member(base, "views")
	if views == nil {
		return []View{all}, nil
	}
	for _, of := range views.Content {
		v := all
		v.Types, v.Tags, v.Where = slices.Clone(all.Types), slices.Clone(all.Tags), slices.Clone(all.Where)
		v.Name = scalar(member(of, "name"))
		if kind := scalar(member(of, "type")); kind != "table" && kind != "" {
			v.need("views of the type " + kind)
		}
		v.filter(member(of, "filters"))
		for _, name := range []string{"groupBy", "limit", "summaries"} {
			if member(of, name) != nil {
				v.need(name)
			}
		}
		v.order(member(of, "order"))
		v.sort(member(of, "sort"))
		out = append(out, v)
	}
	return out, nil
}

// need records the first feature that only Obsidian supports.
func (v *View) need(what string) {
	if v.Needs == "" {
		v.Needs = what
	}
}

// member returns the value of a key of a map, nil if there is none.
func member(of *yaml.Node, key string) *yaml.Node {
	if of == nil || of.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			return of.Content[i+1]
		}
	}
	return nil
}

func scalar(of *yaml.Node) string {
	if of == nil || of.Kind != yaml.ScalarNode {
		return ""
	}
	return of.Value
}

// filter adds a condition, or a list of conditions that must all hold.
func (v *View) filter(of *yaml.Node) {
	switch {
	case of == nil:
	case of.Kind == yaml.ScalarNode:
		v.condition(strings.TrimSpace(of.Value))
	case of.Kind == yaml.MappingNode && len(of.Content) == 2 && of.Content[0].Value == "and" && of.Content[1].Kind == yaml.SequenceNode:
		for _, c := range of.Content[1].Content {
			v.filter(c)
		}
	default:
		v.need("filters other than a list of conditions that all hold")
	}
}

var (
	compared = lazyregexp.New(`^(?:note\.)?([\pL_][\pL\pN_ -]*?)\s*(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false)$`)
	called   = lazyregexp.New(`^(!?)file\.(hasTag|inFolder)\(\s*("(?:[^"\\]|\\.)*")\s*\)$`)
	present  = lazyregexp.New(`^!\s*(?:note\.)?([\pL_][\pL\pN_-]*)\.isEmpty\(\)$`)
)

// condition adds a single condition.
func (v *View) condition(text string) {
	if m := called().FindStringSubmatch(text); m != nil {
		value, err := strconv.Unquote(m[3])
		switch {
		case err != nil:
			v.need("the filter " + text)
		case m[1] == "" && m[2] == "hasTag":
			v.Tags = append(v.Tags, value)
		case m[1] == "" && v.Folder == "":
			v.Folder = value
		case m[1] != "" && m[2] == "hasTag" && !strings.ContainsAny(value, " \""):
			v.Where = append(v.Where, "-tag:"+value)
		default:
			v.need("the filter " + text)
		}
		return
	}
	if m := present().FindStringSubmatch(text); m != nil {
		v.Where = append(v.Where, m[1]+"=*")
		return
	}
	m := compared().FindStringSubmatch(text)
	if m == nil {
		if text != `file.ext == "md"` {
			v.need("the filter " + text)
		}
		return
	}
	value := m[3]
	if value[0] == '"' {
		var err error
		if value, err = strconv.Unquote(value); err != nil || value == "" {
			v.need("the filter " + text)
			return
		}
	}
	if m[1] == "type" && m[2] == "==" {
		v.Types = append(v.Types, value)
		return
	}
	v.Where = append(v.Where, m[1]+strings.Replace(m[2], "==", "=", 1)+value)
}

// own maps properties of files to their names in rows.
var own = map[string]string{"file.name": "title", "file.mtime": "updated", "file.ctime": "created", "file.tags": "tags"}

func (v *View) order(of *yaml.Node) {
	if of == nil {
		return
	}
	for _, c := range of.Content {
		name := scalar(c)
		switch {
		case strings.HasPrefix(name, "formula."):
			v.need("formulas")
		case name == "file.tags":
			v.Order = append(v.Order, own[name])
		case !strings.HasPrefix(name, "file.") && name != "":
			v.Order = append(v.Order, strings.TrimPrefix(name, "note."))
		}
	}
}

func (v *View) sort(of *yaml.Node) {
	if of == nil || len(of.Content) == 0 {
		return
	}
	if len(of.Content) > 1 {
		v.need("several orders")
	}
	name := scalar(member(of.Content[0], "property"))
	if strings.HasPrefix(name, "file.") {
		if name = own[name]; name == "" || name == "tags" {
			v.need("an order by " + scalar(member(of.Content[0], "property")))
		}
	}
	down := scalar(member(of.Content[0], "direction")) == "DESC"
	if name == "updated" || name == "created" {
		down = !down // newest first
	}
	v.Sort, v.Down = strings.TrimPrefix(name, "note."), down
}

// written matches a condition that a base can express.
var written = lazyregexp.New(`^([\pL_][\pL\pN_-]*)(!=|<=|>=|=|<|>)(.+)$`)

// Format writes a base with one view.
func Format(v View) ([]byte, error) {
	var filters []string
	for _, t := range v.Types {
		filters = append(filters, "type == "+strconv.Quote(t))
	}
	for _, t := range v.Tags {
		filters = append(filters, "file.hasTag("+strconv.Quote(t)+")")
	}
	if v.Folder != "" {
		filters = append(filters, "file.inFolder("+strconv.Quote(v.Folder)+")")
	}
	for _, w := range v.Where {
		w = strings.TrimSpace(w)
		m := written().FindStringSubmatch(w)
		switch tag, not := strings.CutPrefix(w, "-tag:"); {
		case not:
			filters = append(filters, "!file.hasTag("+strconv.Quote(tag)+")")
		case m == nil || m[2] != "=" && m[3] == "*":
			return nil, kb.Errorf(kb.Usage, "the condition %q cannot be saved: write key=value, key=*, key>2 or -tag:x", w)
		case m[3] == "*":
			filters = append(filters, "!"+m[1]+".isEmpty()")
		default:
			value := strings.TrimSpace(m[3])
			if _, number := kb.Number(value); !number && value != "true" && value != "false" {
				value = strconv.Quote(value)
			}
			sign := m[2]
			if sign == "=" {
				sign = "=="
			}
			filters = append(filters, fmt.Sprintf("%s %s %s", m[1], sign, value))
		}
	}
	type sorted struct {
		Property  string `yaml:"property"`
		Direction string `yaml:"direction"`
	}
	type view struct {
		Type  string   `yaml:"type"`
		Name  string   `yaml:"name"`
		Order []string `yaml:"order,omitempty"`
		Sort  []sorted `yaml:"sort,omitempty"`
	}
	type and struct {
		And []string `yaml:"and"`
	}
	base := struct {
		Filters *and   `yaml:"filters,omitempty"`
		Views   []view `yaml:"views"`
	}{Views: []view{{Type: "table", Name: v.Name, Order: append([]string{"file.name"}, v.Order...)}}}
	if len(filters) > 0 {
		base.Filters = &and{filters}
	}
	if v.Sort != "" {
		by, down := v.Sort, v.Down
		for file, name := range own {
			if name == by && name != "tags" {
				by = file
			}
		}
		if v.Sort == "updated" || v.Sort == "created" {
			down = !down
		}
		direction := "ASC"
		if down {
			direction = "DESC"
		}
		base.Views[0].Sort = []sorted{{by, direction}}
	}
	return yaml.Marshal(base)
}
