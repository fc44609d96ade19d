package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// applyOwn takes the "lspbridge" member of an entry: what other programs that
// read such files do not know. It reports whether the class was given.
func (s *Server) applyOwn(value json.RawMessage) (classed bool, err error) {
	members, err := membersOf(value)
	if err != nil {
		return false, err
	}
	for _, m := range members {
		switch m.key {
		case "minVersion":
			err = decode(m.value, &s.MinVersion)
			if err == nil && s.MinVersion != "" && !isVersion(s.MinVersion) {
				err = fmt.Errorf("%q is no version", s.MinVersion)
			}
		case "versionArgs":
			s.VersionArgs = nil
			err = decode(m.value, &s.VersionArgs)
		case "installHint":
			err = decode(m.value, &s.InstallHint)
			if strings.ContainsAny(s.InstallHint, "\r\n") {
				err = errors.New("want one line")
			}
		case "executes":
			classed = true
			err = oneOf(m.value, &s.Executes, ExecutesNone, ExecutesConfig, ExecutesBuild)
		case "fileNames":
			s.FileNames = nil
			err = decode(m.value, &s.FileNames)
			for name, language := range s.FileNames {
				if name == "" || language == "" || strings.ContainsAny(name, `/\`) {
					err = fmt.Errorf("%q is no file name with a language", name)
				}
			}
		case "section":
			err = decode(m.value, &s.Section)
		case "quirks":
			err = s.Quirks.apply(m.value)
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", m.key, err)
		}
	}
	return classed, nil
}

func (q *Quirks) apply(value json.RawMessage) error {
	members, err := membersOf(value)
	if err != nil {
		return err
	}
	for _, m := range members {
		switch m.key {
		case "readiness":
			err = oneOf(m.value, &q.Readiness, ReadyProgress, ReadyBlocks, ReadyByToken)
		case "readyToken":
			err = decode(m.value, &q.ReadyToken)
		case "deafToDisk":
			err = decode(m.value, &q.DeafToDisk)
		case "goBuild":
			err = decode(m.value, &q.GoBuild)
		case "loadsWhenAsked":
			err = decode(m.value, &q.LoadsWhenAsked)
		case "telemetry":
			err = decode(m.value, &q.Telemetry)
		case "countsCR":
			err = decode(m.value, &q.CountsCR)
		case "losesOverriders":
			err = decode(m.value, &q.LosesOverriders)
		case "openForRequests":
			err = decode(m.value, &q.OpenForRequests)
		case "compileCommands":
			err = decode(m.value, &q.CompileCommands)
		case "flatSettings":
			err = decode(m.value, &q.FlatSettings)
		case "symbolLimit":
			err = decode(m.value, &q.SymbolLimit)
			if q.SymbolLimit < 0 {
				err = errors.New("is negative")
			}
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.key, err)
		}
	}
	if (q.Readiness == ReadyByToken) != (q.ReadyToken != "") {
		return errors.New(`readiness "token" and readyToken go together`)
	}
	return nil
}

func oneOf[T ~string](value json.RawMessage, into *T, allowed ...T) error {
	var got T
	err := decode(value, &got)
	if err != nil {
		return err
	}
	if !slices.Contains(allowed, got) {
		return fmt.Errorf("%q is none of %q", got, allowed)
	}
	*into = got
	return nil
}
