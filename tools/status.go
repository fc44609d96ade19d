package tools

import (
	"fmt"
	"strings"

	"lspbridge/lspclient"
)

func statusTool() tool {
	return tool{
		name:   "server_status",
		title:  "Status of the servers",
		desc:   "Which language servers serve the workspace, their versions and readiness, and the limits in force. Starts nothing and waits for nothing.",
		params: nil,
		output: objectSchema(
			field{"version", schemaString, true},
			field{"trusted", schemaBoolean, true},
			field{"writes", schemaBoolean, true},
			field{"servers", arraySchema(objectSchema(
				field{"name", schemaString, true}, field{"state", schemaString, true}, field{"version", schemaString, false},
				field{"origin", schemaString, false}, field{"readiness", schemaString, false}, field{"error", schemaString, false},
			)), true},
			field{"watching", objectSchema(field{"folders", schemaInteger, true}, field{"reason", schemaString, false}), false},
			field{"limits", schemaObjects, true},
		),
		run: serverStatus,
	}
}

// A serverItem describes one server; never where its program lies.
type serverItem struct {
	Name       string   `json:"name"`
	State      string   `json:"state"`
	Version    string   `json:"version,omitempty"`
	Origin     string   `json:"origin,omitempty"`
	Readiness  string   `json:"readiness,omitempty"`
	Executes   string   `json:"executes,omitempty"` // of the workspace: none, config, build
	Encoding   string   `json:"encoding,omitempty"`
	Generation int      `json:"generation"`
	Restarts   int      `json:"restarts"`
	OpenFiles  int      `json:"open_files"`
	Error      string   `json:"error,omitempty"`
	Hint       string   `json:"hint,omitempty"`
	Methods    []string `json:"methods"`
}

// A limitItem is one limit in force.
type limitItem struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Maximum string `json:"maximum"`
}

// A watchItem says how changes on disk are noticed.
type watchItem struct {
	Folders int    `json:"folders"`          // that are watched
	Reason  string `json:"reason,omitempty"` // why none is: each question walks through all folders
}

// statusAnswer is the structured answer of server_status.
type statusAnswer struct {
	Version  string       `json:"version"`
	Trusted  bool         `json:"trusted"`
	Writes   bool         `json:"writes"`
	Servers  []serverItem `json:"servers"`
	Watching watchItem    `json:"watching"`
	Limits   []limitItem  `json:"limits"`
}

func serverStatus(q *question) (reply, error) {
	// An untrusted workspace never gets here, and no tool writes.
	servers, err := q.b.pool.Status(q.ctx)
	if err != nil {
		return reply{}, err
	}
	out := statusAnswer{Version: q.b.version, Trusted: true, Servers: []serverItem{}, Limits: []limitItem{}}
	var text strings.Builder
	fmt.Fprintf(&text, "lspbridge %s, workspace trusted, read-only\n", q.b.version)
	for _, s := range servers {
		item := q.serverItem(s)
		out.Servers = append(out.Servers, item)
		fmt.Fprintf(&text, "%s %s: %s", item.Name, orElse(item.Version, "(version not known)"), item.State)
		for _, part := range []string{item.Readiness, item.Origin, item.Error, item.Hint} {
			if part != "" {
				text.WriteString("; " + part)
			}
		}
		fmt.Fprintf(&text, "; starts %d, restarts %d, open files %d\n", item.Generation, item.Restarts, item.OpenFiles)
	}
	if len(out.Servers) == 0 {
		text.WriteString("no server: the workspace has no file of a known language\n")
	}
	folders, why := q.b.pool.Watching()
	out.Watching = watchItem{folders, oneLine(q.b.redact.Error(why))}
	if why == "" {
		fmt.Fprintf(&text, "changes on disk: %d folders are watched\n", folders)
	} else {
		fmt.Fprintf(&text, "changes on disk: each question looks through all folders (%s)\n", out.Watching.Reason)
	}
	text.WriteString("limits:")
	for i, r := range q.b.limits.Rows() {
		out.Limits = append(out.Limits, limitItem{r.Name, r.Value, r.Default, r.Maximum})
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(" " + r.Name + "=" + r.Value)
	}
	return reply{text: text.String(), structured: out}, nil
}

func (q *question) serverItem(s lspclient.ServerStatus) serverItem {
	methods := s.Methods
	if methods == nil {
		methods = []string{}
	}
	return serverItem{
		Name: s.Name, State: s.State, Version: oneLine(q.b.redact.Error(s.Version)), Origin: s.Origin, Readiness: oneLine(q.b.redact.Error(s.Readiness)),
		Executes: string(s.Executes), Encoding: string(s.Encoding), Generation: s.Generation, Restarts: max(0, s.Generation-1), OpenFiles: s.OpenFiles,
		Error: oneLine(q.b.redact.Error(s.Error)), Hint: oneLine(q.b.redact.Error(s.Hint)), Methods: methods,
	}
}
