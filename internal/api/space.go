package api

// ConfigSetting is one configuration key with its present value.
type ConfigSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"` // "default", "file", or the environment variable
	Help   string `json:"help"`
}

// RewrittenPolicy is a space with a replaced policy.
type RewrittenPolicy struct {
	Space
	Diff  string    `json:"diff"`            // unified; "" when nothing changed
	Pages []LaidOut `json:"pages,omitempty"` // of an upgrade: pages of the preset
}
