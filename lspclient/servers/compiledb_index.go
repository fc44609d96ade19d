package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// commandsName is the file beside a merged database that says by which
	// commands the index was made.
	commandsName = "commands.json"
	// responseBytes bounds the arguments of one command that are read from files.
	responseBytes = 16 << 20
)

// madeBy is what an index was made by, as sums.
type madeBy struct {
	Settings string            `json:"settings"`
	Units    map[string]string `json:"units"` // by absolute path
}

// DropStaleIndex removes from the index that clangd keeps beside the merged
// database of dir what was made by other commands than those of the database now,
// or by other settings. clangd goes by the text of files alone, and would take
// such entries for those of the new commands. texts are of files that clangd does
// not look at either, by the absolute path of a unit that reads them. It is called while no clangd runs
// on dir, after [CompileDatabase].
func DropStaleIndex(dir string, settings []byte, texts map[string][]byte) error {
	now, err := commandsOf(dir)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(settings)
	for unit, text := range texts {
		if made, ok := now.Units[unit]; ok {
			sum := sha256.Sum256(append([]byte(made), text...))
			now.Units[unit] = hex.EncodeToString(sum[:])
		}
	}
	now.Settings = hex.EncodeToString(sum[:])
	target := filepath.Join(dir, commandsName)
	var was madeBy
	if text, err := readRegular(target, mergedBytes); err == nil {
		_ = json.Unmarshal(text, &was) // what cannot be read was made by nobody knows what
	}
	changed, kept := was.Settings != now.Settings, map[string]bool{}
	for unit, s := range now.Units {
		if before, ok := was.Units[unit]; ok && before == s {
			kept[filepath.Base(unit)] = true
		}
	}
	for unit, s := range now.Units {
		if before, ok := was.Units[unit]; ok && before != s {
			changed = true
			delete(kept, filepath.Base(unit))
		}
	}
	if changed {
		if was.Settings != now.Settings {
			clear(kept)
		}
		// What a unit made of its headers goes too.
		if err := removeShards(filepath.Join(dir, ".cache", "clangd", "index"), kept); err != nil {
			return err
		}
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("private compile database: %w", err)
	}
	return replaceFile(target, text)
}

// removeShards removes the files of an index but for those of units whose base
// names are in kept: "main.cpp.0123456789ABCDEF.idx".
func removeShards(index string, kept map[string]bool) error {
	shards, err := os.ReadDir(index)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("index: %w", withoutPath(err))
	}
	for _, s := range shards {
		base := strings.TrimSuffix(s.Name(), ".idx")
		if base == s.Name() || kept[strings.TrimSuffix(base, filepath.Ext(base))] {
			continue
		}
		if err := os.Remove(filepath.Join(index, s.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("index: %w", withoutPath(err))
		}
	}
	return nil
}

// commandsOf sums the commands of the merged database in dir, with the response
// files ("@flags.rsp") that they name.
func commandsOf(dir string) (madeBy, error) {
	out := madeBy{Units: map[string]string{}}
	data, err := readRegular(filepath.Join(dir, databaseName), mergedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("private compile database: %w", err)
	}
	var entries []struct {
		Directory, File, Command string
		Arguments                []string
	}
	if err := json.Unmarshal(data, &entries); err != nil {
		return out, fmt.Errorf("private compile database: %w", err)
	}
	read := map[string][]byte{}
	for _, e := range entries {
		sum := sha256.New()
		unit := e.File
		if !filepath.IsAbs(unit) {
			unit = filepath.Join(e.Directory, unit)
		}
		fmt.Fprintf(sum, "%s\x00%q\x00%q\x00%q", out.Units[unit], e.Directory, e.Command, e.Arguments)
		for _, arg := range append(strings.Fields(e.Command), e.Arguments...) {
			name, ok := strings.CutPrefix(strings.Trim(arg, `"'`), "@")
			if !ok || name == "" {
				continue
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(e.Directory, name)
			}
			text, known := read[name]
			if !known {
				text, _ = readRegular(name, responseBytes) // one that is not there is empty
				read[name] = text
			}
			fmt.Fprintf(sum, "\x00%d\x00%s", len(text), text)
		}
		out.Units[unit] = hex.EncodeToString(sum.Sum(nil))
	}
	return out, nil
}
