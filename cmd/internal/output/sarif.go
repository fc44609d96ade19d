package output

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"lspbridge/lspclient"
	"lspbridge/tools"
)

// The members of SARIF 2.1.0 that are written, as its sections name them.
type (
	sarifLog struct { // §3.13
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct { // §3.14
		Tool        sarifTool           `json:"tool"`
		Invocations []sarifInvocation   `json:"invocations"`
		ColumnKind  string              `json:"columnKind"`
		URIBases    map[string]sarifURI `json:"originalUriBaseIds"`
		Results     []sarifResult       `json:"results"`
	}
	sarifTool struct { // §3.18
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct { // §3.19
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct { // §3.49
		ID string `json:"id"`
	}
	sarifInvocation struct { // §3.20
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct { // §3.58
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifMessage struct { // §3.11
		Text string `json:"text"`
	}
	sarifResult struct { // §3.27
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct { // §3.28
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct { // §3.29
		Artifact sarifURI     `json:"artifactLocation"`
		Region   *sarifRegion `json:"region,omitempty"`
	}
	sarifURI struct { // §3.4
		URI     string        `json:"uri,omitempty"`
		Base    string        `json:"uriBaseId,omitempty"`
		Comment *sarifMessage `json:"description,omitempty"`
	}
	sarifRegion struct { // §3.30: lines and columns from 1, the end column exclusive
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifVersion = "2.1.0"
	// sarifBase stands for the workspace's folder, as readers of code scanning
	// know it. Where that is, is nobody's business.
	sarifBase = "%SRCROOT%"
)

// newSARIF is a log of one run without results. Columns are UTF-16 code units;
// one that cannot be converted is left out.
func newSARIF(style Style) sarifLog {
	return sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{{
		Tool:        sarifTool{Driver: sarifDriver{Name: "lspbridge", Version: style.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true, Notifications: []sarifNotification{}}},
		ColumnKind:  "utf16CodeUnits",
		URIBases:    map[string]sarifURI{sarifBase: {Comment: &sarifMessage{"the workspace"}}},
		Results:     []sarifResult{},
	}}}
}

// writeSARIF writes findings as a log in SARIF 2.1.0.
func writeSARIF(w io.Writer, a *Answer, style Style) ([]string, error) {
	list, outside, err := findings(a)
	if err != nil {
		return nil, err
	}
	log := newSARIF(style)
	run := &log.Runs[0]
	if a.State() != "" && a.State() != string(lspclient.Complete) {
		// Results that are not there prove nothing then.
		run.Invocations[0].Successful = false
		for _, r := range a.Reasons() {
			run.Invocations[0].notify("warning", "the answer is "+a.State()+": "+r)
		}
	}
	if outside > 0 {
		run.Invocations[0].notify("note", outsideNotes(outside)[0])
	}
	rules := map[string]int{}
	for _, f := range list {
		rules[f.rule()] = 0
	}
	for _, id := range sortedNames(rules) {
		rules[id] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
	}
	seen := map[string]int{}
	for _, f := range list {
		r := sarifResult{
			RuleID: f.rule(), RuleIndex: rules[f.rule()], Level: sarifLevel(f.Severity), Message: sarifMessage{f.Message},
			Locations: []sarifLocation{{Physical: f.physical()}}, Fingerprints: map[string]string{},
		}
		for _, rel := range f.Related {
			r.Related = append(r.Related, sarifLocation{Physical: rel.physical(), Message: &sarifMessage{rel.Message}})
		}
		// The line's text in place of its number: it stays when lines above come
		// and go. Equal ones are counted.
		print := sha256.Sum256([]byte(strings.Join([]string{f.Path, f.rule(), f.Message, strings.TrimSpace(f.Text)}, "\x00")))
		key := hex.EncodeToString(print[:16])
		seen[key]++
		r.Fingerprints["lspbridge/v1"] = fmt.Sprintf("%s:%d", key, seen[key])
		run.Results = append(run.Results, r)
	}
	return outsideNotes(outside), writeSARIFLog(w, log, style)
}

// writeSARIFError writes that a question got no answer.
func writeSARIFError(w io.Writer, e *tools.Error, style Style) error {
	log := newSARIF(style)
	log.Runs[0].Invocations[0].Successful = false
	log.Runs[0].Invocations[0].notify("error", e.Text())
	return writeSARIFLog(w, log, style)
}

func (i *sarifInvocation) notify(level, text string) {
	i.Notifications = append(i.Notifications, sarifNotification{level, sarifMessage{text}})
}

func writeSARIFLog(w io.Writer, log sarifLog, style Style) error {
	value, err := encode(log)
	if err != nil {
		return err
	}
	return writeObject(w, value, true, style)
}

// physical is where a place is, with columns in UTF-16 code units.
func (p placed) physical() sarifPhysical {
	at := sarifPhysical{Artifact: sarifURI{URI: relativeURI(p.Path), Base: sarifBase}}
	if p.Line < 1 {
		return at
	}
	r := &sarifRegion{StartLine: p.Line}
	if p.EndLine > p.Line {
		r.EndLine = p.EndLine
	}
	column, end := p.units()
	r.StartColumn = column
	if column > 0 && end >= column {
		r.EndColumn = end
	}
	at.Region = r
	return at
}

// relativeURI writes a slash-separated path as a relative reference (RFC 3986
// §4.2); a colon in its first segment would make a scheme of it.
func relativeURI(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A")
	}
	return strings.Join(segments, "/")
}

// sarifLevel is the level of a severity (§3.27.10).
func sarifLevel(severity string) string {
	switch severity {
	case "error", "warning":
		return severity
	}
	return "note"
}

func sortedNames(set map[string]int) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
