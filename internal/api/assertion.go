package api

// AssertRequest adds an assertion.
type AssertRequest struct {
	Subject    string   `json:"subject" jsonschema:"page or text"`
	Predicate  string   `json:"predicate" jsonschema:"such as is_ceo_of"`
	Object     string   `json:"object" jsonschema:"page or text"`
	On         string   `json:"on,omitempty" jsonschema:"ref of the page that keeps it (default the subject's)"`
	Since      string   `json:"since,omitempty" jsonschema:"date from which it holds"`
	Until      string   `json:"until,omitempty" jsonschema:"date to which it held"`
	Source     string   `json:"source,omitempty" jsonschema:"where it is known from"`
	Evidence   string   `json:"evidence,omitempty" jsonschema:"words of the page as evidence"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"default 1"`
	Supersedes int64    `json:"supersedes,omitempty" jsonschema:"id of an assertion that ends with this"`
	WriteOptions
}

// AssertCloseRequest ends an assertion.
type AssertCloseRequest struct {
	ID    int64  `json:"id" jsonschema:"of the assertion, from assertions"`
	Until string `json:"until,omitempty" jsonschema:"date to which it held (default today)"`
	WriteOptions
}

// AssertionsRequest asks for assertions.
type AssertionsRequest struct {
	On        string          `json:"on,omitempty" jsonschema:"ref of the page that keeps them"`
	Subject   string          `json:"subject,omitempty" jsonschema:"page by any name, or text"`
	Predicate string          `json:"predicate,omitempty"`
	Object    string          `json:"object,omitempty" jsonschema:"page by any name, or text"`
	Status    AssertionStatus `json:"status,omitempty" jsonschema:"default current"`
	At        string          `json:"at,omitempty" jsonschema:"true on this date (default today)"`
	AsOf      string          `json:"as_of,omitempty" jsonschema:"believed at this time"`
	Space     string          `json:"space,omitempty" jsonschema:"* for all"`
	Limit     int             `json:"limit,omitempty" jsonschema:"default 20"` // use case: 0 for all
	Offset    int             `json:"offset,omitempty"`
}

// All reports whether all spaces are requested.
func (r AssertionsRequest) All() bool { return r.Space == "*" }
