//go:build !linux

package supervise

// Memory returns 0: this system does not tell, or it was not tried.
func (p *Process) Memory() int64 { return 0 }
