// Package supervise is the helper process between the bridge and a language
// server. The bridge re-executes its own program as the helper; the helper
// starts the server as its child and stays: it ends every descendant, also
// those that start a session of their own, when the bridge asks or dies.
package supervise
