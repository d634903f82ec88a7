package env

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// views returns the encodings of fixed size of what a player sees.
var views = sync.OnceValue(func() (list []*observe.Spec) {
	for _, name := range observe.Names() {
		if spec, err := observe.Lookup(name); err == nil && spec.Tensors[0].DType != observe.Text {
			list = append(list, spec)
		}
	}
	return list
})

// observations returns the encodings that clients may name.
func (e *Env) observations() []*observe.Spec {
	list := slices.Clip(views())
	if advice, err := observe.LookupWithAgents("advice", e.options.NewAgent); err == nil {
		list = append(list, advice)
	}
	if e.options.AllowHidden {
		list = append(list, observe.Oracle())
	}
	return list
}

// observation returns the encoding of a name for so many players.
func (e *Env) observation(name string, seats int) (*observe.Spec, *tables.Refusal) {
	list := e.observations()
	if i := slices.IndexFunc(list, func(spec *observe.Spec) bool { return spec.Name == name }); i >= 0 {
		return list[i].For(seats), nil
	}
	if strings.HasPrefix(name, "advice:") && len(name) <= maxName {
		spec, err := observe.LookupWithAgents(name, e.options.NewAgent)
		if err != nil {
			return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_OBSERVATION, "%v", err)
		}
		return spec.For(seats), nil
	}
	hint := ""
	if name == observe.Oracle().Name {
		hint = "; a server offers it only with --allow-hidden"
	}
	return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_OBSERVATION, "there is no observation %q; allowed: %s, or none%s", name, names(list), hint)
}

// names lists the names of encodings.
func names(specs []*observe.Spec) string {
	var list []string
	for _, s := range specs {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}

// description returns the answer to Describe. It opens the presets.
func (e *Env) description() (*envv1.DescribeResponse, error) {
	d := &envv1.DescribeResponse{
		EngineVersion:      sim.EngineVersion,
		ProgramVersion:     e.options.Version,
		ActionTableVersion: sim.ActionTableVersion,
		Limits: &envv1.Limits{
			Streams:      clampUint32(e.options.MaxStreams),
			Tables:       clampUint32(e.options.MaxTables),
			Handles:      clampUint32(e.options.MaxHandles),
			RequestBytes: clampUint32(e.options.MaxRequest),
			IdleSeconds:  clampUint32(int(e.options.Idle / time.Second)),
		},
	}
	for _, name := range configs.Names() {
		r, err := configs.Open(name)
		if err != nil {
			return nil, err
		}
		o := describedRules{r, r.Rules(), describeRuleset(r)}
		d.Rulesets = append(d.Rulesets, o.about)
		e.presets[name] = o
	}
	for _, f := range configs.Families {
		d.Families = append(d.Families, f.Name)
	}
	d.Actions, d.Observations = describeActions(sim.NumActions), e.describeObservations(4)
	version, actions := sim.ActionTable(3)
	d.ThreePlayers = &envv1.ThreePlayers{
		ActionTableVersion: uint32(version), Actions: describeActions(actions), Observations: e.describeObservations(3),
	}
	for _, a := range e.options.Agents {
		d.Agents = append(d.Agents, &envv1.Agent{Name: a.Name, Description: a.About})
	}
	return d, nil
}

func describeActions(n int) (list []*envv1.Action) {
	for a := range sim.Action(n) {
		list = append(list, &envv1.Action{Id: uint32(a), Text: a.String()})
	}
	return list
}

func (e *Env) describeObservations(seats int) (list []*envv1.Observation) {
	for _, spec := range e.observations() {
		list = append(list, describeObservation(spec.For(seats)))
	}
	return list
}

func describeRuleset(r *configs.Ruleset) *envv1.Ruleset {
	rules, hash := r.Rules(), r.Hash()
	_, debts := rules.Scorer.(ruleset.DebtCollector)
	d := &envv1.Ruleset{
		Name: r.Name, Family: r.Family.Name, Description: r.Description, Toml: r.TOML(), Hash: hash[:],
		UnitsPerPoint: uint32(rules.Unit()), StartingPoints: int32(rules.StartingPoints * rules.Unit()), HasDebts: debts,
		Seats: uint32(rules.NumSeats()),
	}
	for _, k := range r.Knobs() {
		d.Knobs = append(d.Knobs, &envv1.Knob{Key: k.Key, Value: k.Text(), Description: k.Doc, Allowed: k.Allowed, Aliases: k.Spec})
	}
	return d
}

// dtypes are the protocol's names for types of elements.
var dtypes = map[observe.DType]envv1.Dtype{
	observe.Bit:    envv1.Dtype_DTYPE_BIT,
	observe.Uint8:  envv1.Dtype_DTYPE_UINT8,
	observe.Uint16: envv1.Dtype_DTYPE_UINT16,
	observe.Int32:  envv1.Dtype_DTYPE_INT32,
}

func describeObservation(spec *observe.Spec) *envv1.Observation {
	o := &envv1.Observation{Name: spec.Name, Version: uint32(spec.Version), Description: spec.Doc}
	for i := range spec.Tensors {
		t := &spec.Tensors[i]
		d := &envv1.Tensor{
			Name: t.Name, Dtype: dtypes[t.DType], Low: t.Low, High: t.High,
			RowBytes: uint32(t.Size()), Description: t.Doc, FieldsLast: t.LastAxis,
		}
		for _, n := range t.Shape {
			d.Shape = append(d.Shape, uint32(n))
		}
		for _, f := range t.Fields {
			d.Fields = append(d.Fields, &envv1.TensorField{
				Name: f.Name, First: uint32(f.First), Count: uint32(f.Count), Description: f.Doc, Low: f.Low, High: f.High,
			})
		}
		o.Tensors = append(o.Tensors, d)
	}
	return o
}

// clampUint32 returns n, or the nearest uint32 if it is out of range.
func clampUint32(n int) uint32 { return uint32(min(max(int64(n), 0), math.MaxUint32)) }
