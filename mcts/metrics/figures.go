package metrics

import (
	"embed"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"toolevo/envs/yamltext"
	"toolevo/mcts/account"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/server"
)

//go:embed figures.yaml
var files embed.FS

// figure is one metric, read from a field of a snapshot.
type figure struct {
	Name, Of, Help string

	desc *prometheus.Desc
}

var sections = yamltext.Once[map[string][]figure](files, "figures.yaml")

// figuresOf returns the figures of a section of figures.yaml.
func figuresOf(section string, labels ...string) []figure {
	figures := slices.Clone(sections()[section])
	for i, f := range figures {
		figures[i].desc = prometheus.NewDesc("toolevo_"+f.Name, f.Help, labels, nil)
	}
	return figures
}

// send sends the figure of a snapshot.
func (f *figure) send(to chan<- prometheus.Metric, snapshot any, labels ...string) {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(f.Name, "_total") {
		kind = prometheus.CounterValue
	}

	value := 0.

	switch field := reflect.ValueOf(snapshot).FieldByName(f.Of); v := field.Interface().(type) {
	case time.Duration:
		value = v.Seconds()
	case bool:
		if !v {
			value = 1
		}
	case float64:
		value = v
	default:
		value = float64(field.Int())
	}

	to <- prometheus.MustNewConstMetric(f.desc, kind, value, labels...)
}

// progress is the collector of figures that have no labels.
type progress struct {
	figures []figure
	read    func() any
}

// Describe implements prometheus.Collector.
func (p *progress) Describe(to chan<- *prometheus.Desc) {
	for _, f := range p.figures {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (p *progress) Collect(to chan<- prometheus.Metric) {
	s := p.read()
	for _, f := range p.figures {
		f.send(to, s)
	}
}

// Collection returns the figures of a collection.
func Collection(read func() collect.Snapshot) prometheus.Collector {
	return &progress{figuresOf("collection"), func() any { return read() }}
}

// Episodes is how far an evaluation is.
type Episodes struct {
	Planned, Done int64
	Replayed      int64 // of those done, the ones that took no call to the model

	Turns, Unreadable int64 // of the episodes that are over, and of those, the ones from which no action could be read
}

// Evaluation returns the figures of an evaluation.
func Evaluation(read func() Episodes) prometheus.Collector {
	return &progress{figuresOf("evaluation"), func() any { return read() }}
}

// Workers returns the figures of the workers that do a run.
func Workers(read func() cluster.Status) prometheus.Collector {
	return &progress{figuresOf("workers"), func() any { return read() }}
}

// Spent returns the figures of what calls to models took.
func Spent(read func() account.Pass) prometheus.Collector {
	return &progress{figuresOf("account"), func() any { return read().Usage }}
}

// servers is the collector of the model's servers.
type servers struct {
	figures []figure
	faults  *prometheus.Desc
	read    func() map[string]server.Snapshot
}

// Servers returns the figures of the model's servers. read gives those of each policy, by its name.
func Servers(read func() map[string]server.Snapshot) prometheus.Collector {
	labels := []string{"policy", "server"}
	return &servers{
		read:    read,
		figures: figuresOf("server", labels...),
		faults: prometheus.NewDesc("toolevo_server_faults_total", "Requests that failed, by what was seen.",
			append(labels, "cause"), nil),
	}
}

// Describe implements prometheus.Collector.
func (c *servers) Describe(to chan<- *prometheus.Desc) {
	to <- c.faults
	for _, f := range c.figures {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c *servers) Collect(to chan<- prometheus.Metric) {
	for policy, all := range c.read() {
		for _, s := range all.Servers {
			for _, f := range c.figures {
				// A server that is off the list is not away, and nobody is to be woken for it.
				if !s.Left || f.Of != "Down" {
					f.send(to, s, policy, s.Address)
				}
			}

			for cause, n := range s.Faults {
				to <- prometheus.MustNewConstMetric(c.faults, prometheus.CounterValue, float64(n),
					policy, s.Address, cause)
			}
		}
	}
}

// Run returns a figure that says which run it is: 1, with what is worth knowing as labels.
func Run(id, kind, software string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "toolevo_run_info",
		Help:        "Always 1; the labels say which run it is, and of which version.",
		ConstLabels: prometheus.Labels{"run_id": id, "kind": kind, "version": software},
	}, func() float64 { return 1 })
}
