package api

// CaptureRequest stores texts in one write, each as a new page or as a part of an
// existing one.
type CaptureRequest struct {
	Text       string            `json:"text,omitempty" jsonschema:"one thing, in a few sentences"`
	Each       []string          `json:"each,omitempty" jsonschema:"several texts, a page each, in one write"`
	Title      string            `json:"title,omitempty" jsonschema:"default: the first sentence"` // of a single text
	Type       string            `json:"type,omitempty"`
	Tags       []string          `json:"tags,omitempty"`
	Summary    string            `json:"summary,omitempty" jsonschema:"one line, written to be found; some spaces require it"`
	Set        map[string]string `json:"set,omitempty" jsonschema:"more metadata by key, such as confidence or source"`
	Stable     bool              `json:"stable,omitempty" jsonschema:"name the file after the title alone"`
	NoAutoTags bool              `json:"no_auto_tags,omitempty" jsonschema:"find none in the text"`
	Links      []string          `json:"links,omitempty" jsonschema:"refs of related pages"`
	Supersedes []string          `json:"supersedes,omitempty" jsonschema:"refs of pages that this takes the place of"`
	Extend     string            `json:"extend,omitempty" jsonschema:"ref of a page to add the text to, with the date"`
	Update     string            `json:"update,omitempty" jsonschema:"ref of a page to replace the text of"`
	Keep       bool              `json:"keep,omitempty" jsonschema:"a page of its own even if the title exists or pages are similar"`
	Session    string            `json:"session,omitempty" jsonschema:"id of this session"`
	Space      string            `json:"space,omitempty"`
	Alias      string            `json:"-"` // of the page of a single text; "" for none
	Heading    bool              `json:"-"` // a similar page with the heading of a text is the answer, like one with Title
	Ask        bool              `json:"-"` // refuse texts with similar pages, regardless of the policy
	WriteOptions
}
