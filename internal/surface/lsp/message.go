package lsp

import (
	"encoding/json"
)

// message is a request, a notification (no ID) or an answer (no Method).
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is the error of an answer.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *failure) Error() string { return f.Message }

// The codes of failures.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeRequestFailed  = -32803
)

// cancelParams name the request to cancel.
type cancelParams struct {
	ID json.RawMessage `json:"id"`
}
