package api

// Conformity lists the pages that follow their schemas and those that do not.
type Conformity struct {
	List[PageConformity]          // those with problems, or all that a schema applies to
	Pages                int      `json:"pages"` // that a schema applies to
	Valid                int      `json:"valid"`
	Warnings             int      `json:"warnings"` // problems by schemas that warn
	Errors               int      `json:"errors"`   // problems by schemas that are strict
	Faults               []Faulty `json:"faults,omitempty"`
}

// Faulty is a line of a schema that cannot be read.
type Faulty struct {
	Ref     string `json:"ref"` // of the schema
	Key     string `json:"key"`
	Problem string `json:"problem"`
}

// PageConformity is how one page keeps to its schema.
type PageConformity struct {
	Ref    string        `json:"ref"`
	Title  string        `json:"title"`
	Type   string        `json:"type"`
	Schema string        `json:"schema"` // ref of the page that has it, of itself where it is inline
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

// InferredSchema is the schema that pages of a type keep to already.
type InferredSchema struct {
	Type    string     `json:"type"`
	Pages   int        `json:"pages"`
	Fields  []FieldUse `json:"fields"` // all that the pages have, the most frequent first
	Schema  string     `json:"schema"` // metadata of a page that is the schema, as YAML
	Written *Written   `json:"written,omitempty"`
}

// FieldUse is how often pages have a field.
type FieldUse struct {
	Name    string   `json:"name"`
	Source  string   `json:"source,omitempty"` // observation or relation; "" where no page has it
	Type    string   `json:"type"`
	Array   bool     `json:"array"` // most pages that have it have several
	Pages   int      `json:"pages"`
	Share   float64  `json:"share"` // of all pages, from 0 to 1
	Samples []string `json:"samples,omitempty"`
}

// SchemaDrift is how the pages of a type and their schema have come apart.
type SchemaDrift struct {
	Type        string        `json:"type"`
	Schema      string        `json:"schema"` // ref of the page that has it
	Pages       int           `json:"pages"`
	New         []FieldUse    `json:"new"`         // in pages, and not in the schema
	Unused      []FieldUse    `json:"unused"`      // in the schema, and in few pages
	Cardinality []Cardinality `json:"cardinality"` // one on one side and several on the other
}

// Cardinality is a field that is an array in the pages or in the schema, not in both.
type Cardinality struct {
	FieldUse
	Declared bool `json:"declared"` // it is an array in the schema
}
