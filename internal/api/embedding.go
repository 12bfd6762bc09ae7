package api

// EmbedReport is the result of an embedding run.
type EmbedReport struct {
	Model   string   `json:"model"`
	Pages   int      `json:"pages"`
	Chunks  int      `json:"chunks"`  // computed now
	Reused  int      `json:"reused"`  // chunks whose vectors were there already
	Refused int      `json:"refused"` // chunks that the model does not take; words find them
	Beyond  int      `json:"beyond"`  // chunks at the ends of pages that are too long to be embedded whole; words find them
	Left    int      `json:"left"`    // pages that still wait
	Millis  int64    `json:"took_ms"`
	Notes   []string `json:"notes,omitempty"` // what went wrong with a sync before, and what meaning does not find
	Busy    bool     `json:"-"`               // another process was embedding all the time
}

// EmbeddingModel is an entry of the list of models.
type EmbeddingModel struct {
	Name   string `json:"name"`
	Source string `json:"source"` // built-in, packed, ollama, openai or directory
	Dims   int    `json:"dimensions"`
	Active bool   `json:"active"`
	URL    string `json:"url,omitempty"`     // of the server, where it is not the usual one
	KeyEnv string `json:"key_env,omitempty"` // variable that holds the key
	File   string `json:"file,omitempty"`    // of a packed model
	Pages  int    `json:"pages"`             // that have its vectors, of all spaces
	Left   int    `json:"left"`              // that must be embedded for it
}

// TextVector is the vector of a text, or why it has none.
type TextVector struct {
	Tokens    int       `json:"tokens"` // as the model counts
	Vector    []float32 `json:"vector,omitempty"`
	Error     string    `json:"error,omitempty"`
	MaxTokens int       `json:"max_tokens,omitempty"` // that the model takes, where Tokens are too many
}
