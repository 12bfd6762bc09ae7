// Package policy is a space's rules as data: which format and folders new
// pages get, who may do what where, what a page must hold, how long things
// are kept, what is always shown to an agent, and how git is kept.
//
// A Policy is read from a preset or from .cairn/space.toml, whose owner may
// change it. Code asks the policy and never which preset it came from. The
// deciders are pure: they take data and return decisions; internal/write acts
// on them.
//
// Its subpackage secrets finds credentials in text.
package policy
