package operation

import (
	"github.com/cairn-kb/cairn/internal/kb"
)

// Failed is an error as every surface shows it.
type Failed struct {
	Error struct {
		Code    kb.Code        `json:"code"`
		Message string         `json:"message"`
		Hint    string         `json:"hint,omitempty"`
		Details map[string]any `json:"details,omitempty"`
	} `json:"error"`
}

// Failure returns what to show of an error to a caller that has tools and no
// command line; its hint names only tools that the caller has.
func Failure(err error, has Offered) Failed {
	e := kb.AsError(err)
	var f Failed
	f.Error.Code, f.Error.Message, f.Error.Hint, f.Error.Details = e.Code, e.Error(), ForTool(e, has), e.Details
	return f
}
