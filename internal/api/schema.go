package api

// Conformity lists the pages that follow their schemas and those that do not.
type Conformity struct {
	List[PageConformity]          // those with problems, or all pages that a schema applies to
	Pages                int      `json:"pages"` // pages that a schema applies to
	Valid                int      `json:"valid"`
	Warnings             int      `json:"warnings"` // violations of schemas that warn
	Errors               int      `json:"errors"`   // violations of strict schemas
	Faults               []Faulty `json:"faults,omitempty"`
}

// Faulty is an unreadable line of a schema.
type Faulty struct {
	Ref     string `json:"ref"` // of the schema
	Key     string `json:"key"`
	Problem string `json:"problem"`
}

// PageConformity is the result of validating one page against its schema.
type PageConformity struct {
	Ref    string        `json:"ref"`
	Title  string        `json:"title"`
	Type   string        `json:"type"`
	Schema string        `json:"schema"` // ref of the page with it, which is the page itself for an inline schema
	Mode   string        `json:"mode"`   // warn or strict
	Valid  bool          `json:"valid"`
	Fields []SchemaField `json:"fields"`

	// Parts of the page that the schema does not mention: observations by
	// category, relations by type.
	Observations map[string]int `json:"unmatched_observations,omitempty"`
	Relations    []string       `json:"unmatched_relations,omitempty"`
}

// SchemaField is a field of a schema with the page's values for it.
type SchemaField struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string, integer, number, boolean, any, enum, object, or the type of a page
	Required bool     `json:"required"`
	State    string   `json:"state"` // present, missing or mismatch
	Values   []string `json:"values"`
	Problem  string   `json:"problem,omitempty"`
}

// InferredSchema is a schema derived from the pages of a type.
type InferredSchema struct {
	Type    string     `json:"type"`
	Pages   int        `json:"pages"`
	Fields  []FieldUse `json:"fields"` // all fields of the pages, most frequent first
	Schema  string     `json:"schema"` // metadata of a page with the schema, as YAML
	Written *Written   `json:"written,omitempty"`
}

// FieldUse counts the pages with a field.
type FieldUse struct {
	Name    string   `json:"name"`
	Source  string   `json:"source,omitempty"` // observation or relation; "" if no page has it
	Type    string   `json:"type"`
	Array   bool     `json:"array"` // most pages with the field have several values
	Pages   int      `json:"pages"`
	Share   float64  `json:"share"` // of all pages, from 0 to 1
	Samples []string `json:"samples,omitempty"`
}

// SchemaDrift lists the differences between the pages of a type and their schema.
type SchemaDrift struct {
	Type        string        `json:"type"`
	Schema      string        `json:"schema"` // ref of the page with it
	Pages       int           `json:"pages"`
	New         []FieldUse    `json:"new"`         // in pages, and not in the schema
	Unused      []FieldUse    `json:"unused"`      // in the schema, and in few pages
	Cardinality []Cardinality `json:"cardinality"` // single on one side and array on the other
}

// Cardinality is a field that is an array either in the pages or in the schema, but
// not in both.
type Cardinality struct {
	FieldUse
	Declared bool `json:"declared"` // it is an array in the schema
}
