package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A member is one name and value of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf splits a JSON object into its members in their order. Names are told
// apart by case, and a name that stands there twice is an error: which of the two
// counts would be a guess.
func membersOf(object json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('{') {
		return nil, errors.New("want a JSON object")
	}
	var members []member
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: token.(string)} // JSON has no other names
		if seen[m.key] {
			return nil, fmt.Errorf("%s: stands there twice", m.key)
		}
		seen[m.key] = true
		err = dec.Decode(&m.value)
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	_, err = dec.Token()
	return members, err
}

// decode is json.Unmarshal with an error that speaks of JSON instead of Go, and
// without null for "as it was".
func decode(value json.RawMessage, into any) error {
	if string(value) == "null" {
		return errors.New("is null")
	}
	err := json.Unmarshal(value, into)
	if typeErr, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("is or holds a JSON %s where that cannot stand", typeErr.Value)
	}
	return err
}
