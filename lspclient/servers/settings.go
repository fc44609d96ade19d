package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// settingBytes is the longest value of one setting.
const settingBytes = 64 << 10

// Configuration answers one item of workspace/configuration: the part of
// Settings at a dotted section, all of it for "", and null for a section that it
// does not have.
func (s Server) Configuration(section string) json.RawMessage {
	value := s.Settings
	if len(value) == 0 {
		value = json.RawMessage("{}")
	}
	if section == "" {
		return value
	}
	// A section may be spelled as one key with dots, too.
	object, ok := objectOf(value)
	if v, found := object[section]; ok && found {
		return v
	}
	for key := range strings.SplitSeq(section, ".") {
		object, ok = objectOf(value)
		if !ok || object[key] == nil {
			return json.RawMessage("null")
		}
		value = object[key]
	}
	return value
}

// Setting returns c with one setting of one server changed, as
// --setting gopls.buildFlags='["-tags=x"]' gives it; value is JSON, or else a
// plain string. The setting is put into InitializationOptions and into what
// workspace/configuration is answered, so that both agree.
func (c Catalog) Setting(name, value string) (Catalog, error) {
	server, key, found := strings.Cut(name, ".")
	if !found || server == "" || key == "" {
		return c, fmt.Errorf("setting %q: want SERVER.NAME, as in gopls.buildFlags", name)
	}
	i := c.index(server)
	if i < 0 {
		return c, fmt.Errorf("setting %q: unknown server %q, known are %s", name, server, strings.Join(c.Names(), ", "))
	}
	if len(value) > settingBytes {
		return c, fmt.Errorf("setting %q: value of %d bytes, the most is %d", name, len(value), settingBytes)
	}
	raw, err := rawValue(value)
	if err != nil {
		return c, fmt.Errorf("setting %q: %w", name, err)
	}

	s := c.Servers[i]
	path := strings.Split(key, ".")
	if s.Quirks.FlatSettings {
		path = path[len(path)-1:]
	}
	for _, part := range path {
		if part == "" {
			return c, fmt.Errorf("setting %q: empty name between two dots", name)
		}
	}
	s.InitializationOptions, err = setAt(s.InitializationOptions, path, raw)
	if err != nil {
		return c, fmt.Errorf("setting %q: %w", name, err)
	}
	if s.Section != "" {
		path = append([]string{s.Section}, path...)
	}
	s.Settings, err = setAt(s.Settings, path, raw)
	if err != nil {
		return c, fmt.Errorf("setting %q: %w", name, err)
	}
	c = c.clone()
	c.Servers[i] = s
	return c, nil
}

// rawValue takes a value as JSON, or else as a plain string.
func rawValue(value string) (json.RawMessage, error) {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value), nil
	}
	return json.Marshal(value)
}

// setAt returns the JSON object with the value at a path of keys; what stands in
// the way of the path and is no object is replaced.
func setAt(object json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, error) {
	if len(path) == 0 {
		return value, nil
	}
	members, ok := objectOf(object)
	if !ok {
		members = map[string]json.RawMessage{}
	}
	inner, err := setAt(members[path[0]], path[1:], value)
	if err != nil {
		return nil, err
	}
	members[path[0]] = inner
	return json.Marshal(members)
}

// merge lays one JSON value over another: objects are merged key by key, all
// else is replaced.
func merge(under, over json.RawMessage) (json.RawMessage, error) {
	below, ok := objectOf(under)
	above, isObject := objectOf(over)
	if !ok || !isObject {
		return over, nil
	}
	merged := maps.Clone(below)
	for key, value := range above {
		inner, err := merge(below[key], value)
		if err != nil {
			return nil, err
		}
		merged[key] = inner
	}
	return json.Marshal(merged)
}

// objectOf splits a JSON object into its members.
func objectOf(value json.RawMessage) (map[string]json.RawMessage, bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) {
		return nil, false
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(value, &members)
	return members, err == nil
}
