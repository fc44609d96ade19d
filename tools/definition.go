package tools

import (
	"slices"

	"lspbridge/lspclient"
)

func definitionTool() tool {
	return tool{
		name:  "find_definition",
		title: "Find definition",
		desc: "Where a symbol is defined, declared (kind=declaration) or where its type is (kind=type), across files, " +
			"for the files as they are now. body=true adds the whole declaration.",
		params: slices.Concat(targetParams(), []param{
			{name: "kind", typ: typeString, enum: []string{"definition", "declaration", "type"}, desc: "Default definition"},
			{name: "body", typ: typeBoolean, desc: "Add the whole declaration's text"},
		}, pageParams()),
		output: listSchema(locationFields("body")),
		run: func(q *question) (reply, error) {
			s, err := q.resolve()
			if err != nil {
				return reply{}, err
			}
			kind := lspclient.DefinitionKind(orElse(q.args.str("kind"), string(lspclient.KindDefinition)))
			found, err := q.b.pool.Definition(q.ctx, s.file, s.at.locate, kind)
			if err != nil {
				return reply{}, s.failed(err)
			}
			verb := map[lspclient.DefinitionKind]string{
				lspclient.KindDefinition: "definition of", lspclient.KindDeclaration: "declaration of", lspclient.KindType: "type of",
			}[kind]
			return q.places(placeList{
				verb: verb, noun: "places", subject: s, answer: found.Answer, places: found.Items, body: q.args.flag("body", false),
			})
		},
	}
}
