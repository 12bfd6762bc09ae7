package terminal

import (
	"context"
	"os/exec"
	"runtime"
)

// Browse opens a file in the person's browser.
func Browse(ctx context.Context, file string) error {
	words := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		words = []string{"open"}
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(ctx, words[0], append(words[1:], file)...).Run()
}
