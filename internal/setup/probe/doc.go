// Package probe asks other programs: it starts the entry of a client as the client
// would, and asks it for its tools, and it runs what says how the system stands.
package probe
