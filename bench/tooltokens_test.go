package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// Servers tell and ask things of their own before they answer.
func TestExchange(t *testing.T) {
	t.Parallel()
	lines := `{"jsonrpc":"2.0","method":"notifications/message","params":{}}
{"jsonrpc":"2.0","id":2,"method":"roots/list"}
{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"late"}}
{"result":{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"b"},"jsonrpc":"2.0","id":2}`
	var page struct {
		Tools      []tool
		NextCursor string
	}
	if err := exchange(io.Discard, json.NewDecoder(strings.NewReader(lines)), 2, "tools/list", "{}", &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Tools) != 1 || page.NextCursor != "b" {
		t.Errorf("the answer is %+v", page)
	}
	for _, text := range []string{"", `{"id":2,"error":{"code":-32601,"message":"no"}}`} {
		if err := exchange(io.Discard, json.NewDecoder(strings.NewReader(text)), 2, "tools/list", "{}", &page); err == nil {
			t.Errorf("%q is an answer", text)
		}
	}
}
