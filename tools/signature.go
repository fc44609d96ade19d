package tools

import "lspbridge/lspclient"

// maxSignatureDoc bounds the documentation of a signature, in characters.
const maxSignatureDoc = 2000

// A signatureItem is a signature in structured answers.
type signatureItem struct {
	Label         string          `json:"label"`
	Documentation string          `json:"documentation,omitempty"`
	Parameters    []parameterItem `json:"parameters"`
	// ActiveParameter counts from 0; it is left out where none is active.
	ActiveParameter *int `json:"active_parameter,omitempty"`
	Active          bool `json:"active"`
}

type parameterItem struct {
	Label         string `json:"label"`
	Documentation string `json:"documentation,omitempty"`
}

func signatureTool() tool {
	return tool{
		name:  "signature_help",
		title: "Signature help",
		desc: "How the call around a place can be written: signatures, parameters, and which of them the place stands for (active_parameter, from 0). " +
			"The place is between the parentheses of a call.",
		params: append(insertionParams(), pageParams()...),
		output: listSchema([]field{
			{"label", schemaString, true},
			{"documentation", schemaString, false},
			{"parameters", arraySchema(objectSchema(field{"label", schemaString, true}, field{"documentation", schemaString, false})), true},
			{"active_parameter", schemaInteger, false},
			{"active", schemaBoolean, true},
		}),
		run: func(q *question) (reply, error) {
			s, at, shown, err := q.insertion()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.SignatureHelp(q.ctx, s.file, at)
			if err != nil {
				return reply{}, err
			}
			return pageInFile(q, "signatures at "+shown, "signatures", found.Answer, found.Items, q.signature)
		},
	}
}

func (q *question) signature(s lspclient.Signature) (any, string) {
	item := signatureItem{
		Label: q.label(s.Label), Documentation: q.documentation(s.Documentation, maxSignatureDoc),
		Parameters: []parameterItem{}, Active: s.Chosen,
	}
	active := ""
	for i, p := range s.Parameters {
		item.Parameters = append(item.Parameters, parameterItem{q.label(p.Label), q.documentation(p.Documentation, maxSignatureDoc)})
		if i == s.Active {
			item.ActiveParameter = &s.Active
			active = "at the parameter " + oneLine(item.Parameters[i].Label)
		}
	}
	mark := ""
	if s.Chosen {
		mark = "(active)"
	}
	return item, columns(oneLine(item.Label), mark, active) + indented(item.Documentation)
}
