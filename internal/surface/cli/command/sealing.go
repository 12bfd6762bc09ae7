package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

// Sealing are the flags of a command that can encrypt the file that it writes.
type Sealing struct {
	to         []string
	passphrase bool
}

// AddFlags adds them.
func (s *Sealing) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.to, "to", nil, "encrypt the file for this `recipient` of age, age1…; several may read it")
	cmd.Flags().BoolVar(&s.passphrase, "passphrase", false, "encrypt the file with a passphrase, which is asked for")
}

// Seal returns how the file is encrypted, and asks for the passphrase.
func (s *Sealing) Seal(cmd *cobra.Command, p *Program) (backup.Seal, error) {
	ctx := cmd.Context()
	if err := Conflict(cmd, "to", "passphrase"); err != nil {
		return backup.Seal{}, err
	}
	if !s.passphrase {
		return backup.Seal{To: s.to}, nil
	}
	first, err := p.Passphrase(ctx, "Passphrase:")
	if err != nil || p.Env.ReadHidden == nil {
		return backup.Seal{Passphrase: first}, err
	}
	again, err := p.Passphrase(ctx, "Once more:")
	if err == nil && again != first {
		err = kb.Errorf(kb.Usage, "the passphrases differ").WithHint("Nothing was written.")
	}
	return backup.Seal{Passphrase: first}, err
}

// Passphrase asks for a passphrase at a terminal without showing it, and else reads the
// first line of standard input.
func (p *Program) Passphrase(ctx context.Context, question string) (text string, err error) {
	if p.Env.ReadHidden != nil {
		p.Note("%s", question)
		line, err := p.Env.ReadHidden()
		if err != nil {
			return "", err
		}
		text = string(line)
	} else if text, err = terminal.ReadLine(ctx, p.Env.Stdin); err != nil {
		return "", kb.Errorf(kb.Usage, "no passphrase was given: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return "", kb.Errorf(kb.Usage, "the passphrase is empty").WithHint("Nothing was written.")
	}
	return text, nil
}
