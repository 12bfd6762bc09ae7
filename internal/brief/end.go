package brief

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Reminder returns a reminder for a person at the end of a session of the
// caller: that neither people nor agents wrote anything into the space of the
// working directory since Primed recorded its start. It is "" if somebody did,
// if no start was recorded in a memory that has pages, and if sessions get no
// text.
func Reminder(ctx context.Context, sess *memory.Session) (text string, err error) {
	space, _, err := spaceToTell(ctx, sess)
	if err != nil || space.Row == 0 {
		return "", err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		mark, err := tx.Settings().Get(ctx, markKey(sess, space))
		if err != nil {
			return err
		}
		f := store.VersionFilter{Spaces: []int64{space.Row}}
		if mark != "" {
			if f.After, _, err = parseMark(mark); err != nil {
				return nil // of another cairn
			}
		}
		for _, kind := range []kb.ActorKind{kb.Human, kb.Agent} {
			f.Actor = kb.Actor{Kind: kind}
			written, _, err := tx.History().Versions(ctx, f, 1, 0)
			if err != nil || len(written) > 0 {
				return err
			}
		}
		text = "Nothing of this session is in the memory (space " + space.Name + "). " +
			"Worth saving? cairn capture \"TEXT\", or the skill memory-capture.\n"
		return nil
	})
	return text, err
}

// markKey is the setting with the last change of a space reported to the caller
// in this project.
func markKey(sess *memory.Session, s kb.Space) string {
	key := "prime/" + string(s.ID) + "/" + sess.Actor.String()
	if tag := space.ProjectTag(sess.Spaces, kb.Space{}); tag != "" {
		key += "/" + tag
	}
	return key
}

// markOf is the value of such a setting: the newest change that was reported, and the one
// before which the session began that was told of it.
func markOf(newest, before int64) string { return fmt.Sprintf("%d %d", newest, before) }

// parseMark reads the value of a setting of markKey.
func parseMark(mark string) (newest, before int64, err error) {
	first, second, two := strings.Cut(mark, " ")
	if newest, err = strconv.ParseInt(first, 10, 64); err != nil || !two {
		return newest, newest, err
	}
	before, err = strconv.ParseInt(second, 10, 64)
	return newest, before, err
}

// LastSession returns the number of the last change that the caller knew of when its present
// session began: the last that its previous session was told of, or else its own last write.
// It is 0 where there is neither.
func LastSession(ctx context.Context, sess *memory.Session) (seq int64, err error) {
	s, err := sess.Spaces.Current(ctx)
	if err != nil {
		return 0, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		mark, err := tx.Settings().Get(ctx, markKey(sess, s))
		if err != nil {
			return err
		}
		if _, before, bad := parseMark(mark); bad == nil {
			seq = before
			return nil
		}
		own, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}, Actor: sess.Actor}, 1, 0)
		if len(own) > 0 {
			seq = own[0].Seq
		}
		return err
	})
	return seq, err
}
