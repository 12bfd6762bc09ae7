package api

// EmbedReport is the result of an embedding run.
type EmbedReport struct {
	Model   string   `json:"model"`
	Pages   int      `json:"pages"`
	Chunks  int      `json:"chunks"`  // computed now
	Reused  int      `json:"reused"`  // chunks with existing vectors
	Refused int      `json:"refused"` // chunks rejected by the model; only keyword search finds them
	Beyond  int      `json:"beyond"`  // chunks at the ends of overlong pages; only keyword search finds them
	Left    int      `json:"left"`    // waiting pages
	Millis  int64    `json:"took_ms"`
	Notes   []string `json:"notes,omitempty"` // problems of a preceding sync, and parts that semantic search does not find
	Busy    bool     `json:"-"`               // another process was embedding the whole time
}

// EmbeddingModel is an entry of the list of models.
type EmbeddingModel struct {
	Name   string `json:"name"`
	Source string `json:"source"` // built-in, packed, ollama, openai or directory
	Dims   int    `json:"dimensions"`
	Active bool   `json:"active"`
	URL    string `json:"url,omitempty"`     // of the server, if it is not the default
	KeyEnv string `json:"key_env,omitempty"` // variable with the key
	File   string `json:"file,omitempty"`    // of a packed model
	Pages  int    `json:"pages"`             // with vectors of the model, in all spaces
	Left   int    `json:"left"`              // still to be embedded with it
}

// TextVector is the vector of a text, or the reason for its absence.
type TextVector struct {
	Tokens    int       `json:"tokens"` // counted by the model
	Vector    []float32 `json:"vector,omitempty"`
	Error     string    `json:"error,omitempty"`
	MaxTokens int       `json:"max_tokens,omitempty"` // limit of the model, if Tokens exceeds it
}
