// This file defines the metrics of etcd.

package etcd

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Metrics returns the metrics of etcd, whose names begin with etcd_. etcd keeps them in the default registry of the
// process, together with those of its libraries, which are left out.
func Metrics() prometheus.Gatherer { return gatherer{} }

type gatherer struct{}

// Gather implements prometheus.Gatherer.
func (gatherer) Gather() ([]*dto.MetricFamily, error) {
	all, err := prometheus.DefaultGatherer.Gather()
	return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool {
		return !strings.HasPrefix(f.GetName(), "etcd_")
	}), err
}
