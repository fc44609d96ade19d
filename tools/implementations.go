package tools

import "slices"

func implementationsTool() tool {
	return tool{
		name:   "find_implementations",
		title:  "Find implementations",
		desc:   "The implementations of an interface, a type or a method; for a concrete type the interfaces it implements.",
		params: slices.Concat(targetParams(), pageParams()),
		output: listSchema(locationFields()),
		run: func(q *question) (reply, error) {
			s, err := q.resolve()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.Implementations(q.ctx, s.file, s.at.locate)
			if err != nil {
				return reply{}, s.failed(err)
			}
			return q.places(placeList{
				verb: "implementations of", noun: "implementations", subject: s, answer: found.Answer, places: found.Items,
			})
		},
	}
}
