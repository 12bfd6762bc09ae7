package spaces

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/server"
)

// logOptions configure the log of a server on standard error. It contains
// counts, names of spaces, jobs and tools, routes, codes and error texts, never
// the contents of pages, queries or tokens.
type logOptions struct{ level, format string }

var (
	logLevels  = map[string]slog.Level{"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug}
	logNames   = []string{"error", "warn", "info", "debug"}
	logFormats = []string{"text", "json"}
)

func (o *logOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.level, "log-level", "", "log on standard error from this `level` on: error, warn, info or debug; never content")
	f.StringVar(&o.format, "log-format", "text", "with --log-level, log as text or json")
	command.Complete(cmd, "log-level", cobra.FixedCompletions(logNames, cobra.ShellCompDirectiveNoFileComp))
	command.Complete(cmd, "log-format", cobra.FixedCompletions(logFormats, cobra.ShellCompDirectiveNoFileComp))
}

func (o *logOptions) check(cmd *cobra.Command) error {
	switch {
	case o.level == "" && cmd.Flags().Changed("log-level"), o.level != "" && !slices.Contains(logNames, o.level):
		return command.UsageError(cmd, "unknown log level %q (want %s)", o.level, strings.Join(logNames, ", "))
	case !slices.Contains(logFormats, o.format):
		return command.UsageError(cmd, "unknown log format %q (want %s)", o.format, strings.Join(logFormats, " and "))
	case o.level == "" && cmd.Flags().Changed("log-format"):
		return command.UsageError(cmd, "--log-format is for --log-level")
	}
	return nil
}

// logger returns the log that was asked for, nil for none.
func (o *logOptions) logger(p *command.Program) *slog.Logger {
	if o.level == "" {
		return nil
	}
	opts := &slog.HandlerOptions{Level: logLevels[o.level], ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch {
		case a.Key == slog.TimeKey:
			return slog.String(a.Key, p.Env.Now().UTC().Format(time.RFC3339Nano))
		case a.Value.Kind() == slog.KindString:
			return slog.String(a.Key, safetext.Line(a.Value.String()))
		}
		return a
	}}
	if o.format == "json" {
		return slog.New(slog.NewJSONHandler(p.Env.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(p.Env.Stderr, opts))
}

// logs reports whether the level is logged.
func (p serverOutput) logs(level slog.Level) bool {
	return p.log != nil && p.log.Enabled(context.Background(), level)
}

// logEvent logs what a server did.
func logEvent(log *slog.Logger, e server.Event) {
	var about []any
	add := func(name, value string) {
		if value != "" {
			about = append(about, name, value)
		}
	}
	add("part", string(e.Part))
	add("space", e.Space)
	add("job", e.Job)
	add("mode", string(e.Mode))
	add("reason", e.Reason)
	if r := e.Sync; r != nil {
		about = append(about, "added", len(r.Added), "changed", len(r.Changed), "moved", len(r.Moved), "deleted", len(r.Deleted), "failed", len(r.Failed))
	}
	if r := e.Embed; r != nil {
		about = append(about, "pages", r.Pages, "left", r.Left)
	}
	if e.Kind == server.Failed {
		logFailure(log, slog.LevelWarn, string(e.Kind), e.Err, about...) // it is tried again
		return
	}
	log.Info(string(e.Kind), about...)
}

func logFailure(log *slog.Logger, level slog.Level, message string, err error, about ...any) {
	f := kb.AsError(err)
	log.Log(context.Background(), level, message, append(about, "code", string(f.Code), "error", f.Error())...)
}
