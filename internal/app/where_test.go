package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
)

func TestWhere(t *testing.T) {
	for text, want := range map[string]string{
		"path:inbox tag:idea":           "[] [idea] [] [inbox]  ",
		"type:a type:b status:stale":    "[a b] [] [stale] []  ",
		`after:"last week" before:2026`: "[] [] [] [] last week 2026",
		"words":                         "",
		"-tag:x":                        "",
		"tag:x OR tag:y":                "",
		"space:x":                       "",
	} {
		w, err := app.Where(text, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		got := ""
		if err == nil {
			got = fmt.Sprintf("%v %v %v %v %s %s", w.Types, w.Tags, w.Statuses, w.Paths, w.After, w.Before)
		}
		if got != want {
			t.Errorf("%s is %q, %v, want %q", text, got, err, want)
		}
	}
}
