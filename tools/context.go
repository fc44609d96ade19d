package tools

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"lspbridge/lspclient"
)

// The parts of a symbol's context, in the order in which they are told.
const (
	partDefinition      = "definition"
	partDocumentation   = "documentation"
	partReferences      = "references"
	partCallers         = "callers"
	partCallees         = "callees"
	partImplementations = "implementations"
)

func contextParts() []string {
	return []string{partDefinition, partDocumentation, partReferences, partCallers, partCallees, partImplementations}
}

func contextTool() tool {
	return tool{
		name:  "symbol_context",
		title: "Symbol context",
		desc: "What there is to know about a symbol, in place of five calls: definition with its body, documentation, references counted by file, " +
			"callers, callees, implementations. A part that fails is named, the rest stays.",
		params: slices.Concat(targetParams(), []param{
			{name: "include", typ: typeStrings, desc: "Some of definition, documentation, references, callers, callees, implementations"},
			maxCharsParam(),
		}),
		output: contextSchema(),
		run:    runContext,
	}
}

// gathered is what the parts of a context were answered with. Each part writes
// what is its own.
type gathered struct {
	definition, implementations, references lspclient.Locations
	hover                                   lspclient.Hover
	callers, callees                        lspclient.Hierarchy
}

// A partState says how far a part of a context can be trusted.
type partState struct {
	Part   string `json:"part"`
	State  string `json:"state"` // complete, partial, unknown; none where the symbol has no such thing; failed
	Reason string `json:"reason,omitempty"`
}

// The further states of a part.
const (
	partNone   = "none"
	partFailed = "failed"
)

func runContext(q *question) (reply, error) {
	wanted := q.args.list("include")
	for _, name := range wanted {
		if !slices.Contains(contextParts(), name) {
			return reply{}, usagef("bad_value", "use some of: "+strings.Join(contextParts(), ", "), "%q is no value of the argument include", clipWord(name))
		}
	}
	if len(wanted) == 0 {
		wanted = contextParts()
	}
	s, err := q.resolve()
	if err != nil {
		return reply{}, err
	}
	found, states, whole, err := q.gather(s, wanted)
	if err != nil {
		return reply{}, err
	}
	c := q.newContext(s, found, states)
	c.whole = lspclient.Merge(whole, s.doubt)
	_, maxChars := q.pageBounds()
	return c.reply(maxChars)
}

// mostNeighbours is how many callers or callees are counted, of which the answer
// shows the first: one level costs one question, however many there are.
const mostNeighbours = 2_000

// gather asks for all parts side by side. A part that hangs is given up a little
// before the call's own deadline, so that the rest is answered. When every part
// failed, the error of the first is that of the call.
func (q *question) gather(s subject, wanted []string) (*gathered, []partState, lspclient.Completeness, error) {
	ctx, cancel := q.ctx, context.CancelFunc(func() {})
	if deadline, ok := q.ctx.Deadline(); ok {
		ctx, cancel = context.WithDeadline(q.ctx, deadline.Add(-min(answerMargin, time.Until(deadline)/4)))
	}
	defer cancel()
	found, pool, l := &gathered{}, q.b.pool, q.b.limits
	bounds := lspclient.HierarchyBounds{Depth: 1, Nodes: max(l.HierarchyNodes, mostNeighbours), Edges: max(l.HierarchyEdges, mostNeighbours), Sites: l.CallSites}
	ask := map[string]func() (c lspclient.Completeness, err error){
		partDefinition: func() (c lspclient.Completeness, err error) {
			found.definition, err = pool.Definition(ctx, s.file, s.at.locate, lspclient.KindDefinition)
			return found.definition.Completeness, err
		},
		partDocumentation: func() (c lspclient.Completeness, err error) {
			found.hover, err = pool.Hover(ctx, s.file, s.at.locate)
			return found.hover.Completeness, err
		},
		partReferences: func() (c lspclient.Completeness, err error) {
			found.references, err = pool.References(ctx, s.file, s.at.locate, true)
			return found.references.Completeness, err
		},
		partCallers: func() (c lspclient.Completeness, err error) {
			found.callers, err = pool.CallHierarchy(ctx, s.file, s.at.locate, lspclient.Incoming, bounds)
			return found.callers.Completeness, err
		},
		partCallees: func() (c lspclient.Completeness, err error) {
			found.callees, err = pool.CallHierarchy(ctx, s.file, s.at.locate, lspclient.Outgoing, bounds)
			return found.callees.Completeness, err
		},
		partImplementations: func() (c lspclient.Completeness, err error) {
			found.implementations, err = pool.Implementations(ctx, s.file, s.at.locate)
			return found.implementations.Completeness, err
		},
	}
	parts := contextParts()
	errs, known := make([]error, len(parts)), make([]lspclient.Completeness, len(parts))
	var wg sync.WaitGroup
	for i, name := range parts {
		if slices.Contains(wanted, name) {
			wg.Go(func() {
				defer q.b.recovered(&errs[i])
				known[i], errs[i] = ask[name]()
			})
		}
	}
	wg.Wait()
	if err := q.ctx.Err(); err != nil {
		return nil, nil, lspclient.Completeness{}, err
	}
	whole := lspclient.Completeness{State: lspclient.Complete}
	var states []partState
	var first error
	answered := false
	for i, name := range parts {
		if !slices.Contains(wanted, name) {
			continue
		}
		state := partState{Part: name, State: string(known[i].State)}
		var refused *lspclient.Error
		switch {
		case errs[i] == nil:
			answered = true
			whole = lspclient.Merge(whole, known[i])
			state.Reason = strings.Join(q.complete(known[i]).Reasons, "; ")
		case name != partDefinition && errors.As(errs[i], &refused) && refused.Code == lspclient.CodeRefused:
			// gopls says of a type that it is no function.
			state.State, state.Reason = partNone, q.b.toError(ctx, errs[i]).Message
		default:
			e := q.b.toError(ctx, s.failed(errs[i]))
			if first == nil {
				first = s.failed(errs[i])
			}
			state.State, state.Reason = partFailed, e.Message
			if e.Code == string(lspclient.CodeUnsupported) && e.Hint != "" {
				state.Reason += " (" + e.Hint + ")"
			}
			whole = partial(whole, name+" is missing: "+e.Message)
		}
		states = append(states, state)
	}
	if !answered {
		return nil, nil, whole, first
	}
	return found, states, whole, nil
}
