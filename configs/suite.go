package configs

import (
	"iter"
	"slices"
	"strings"

	"toolevo/envs/suite"
)

// configurables returns the registered suites that have settings of their own.
func configurables() []suite.Configurable {
	var all []suite.Configurable

	for _, b := range suite.All() {
		if c, ok := b.(suite.Configurable); ok {
			all = append(all, c)
		}
	}

	return all
}

// sections returns the sections of all suites.
func sections() []suite.Section {
	var all []suite.Section
	for _, c := range configurables() {
		all = append(all, c.Sections()...)
	}
	return all
}

// newConfig returns a configuration before anything is read.
func newConfig() *Config {
	c := &Config{BySection: map[string]suite.Settings{}}
	for _, s := range sections() {
		c.BySection[s.Name] = s.New()
	}
	return c
}

// isIncidentalToASuite reports whether a setting belongs to a suite and changes no result.
func isIncidentalToASuite(key string) bool {
	return slices.ContainsFunc(sections(), func(s suite.Section) bool {
		setting, ok := strings.CutPrefix(key, s.Name+".")
		return ok && slices.Contains(s.Incidental, setting)
	})
}

// chosen returns the suite of the configuration, or nil if it has no settings of its own.
func (c *Config) chosen() suite.Configurable {
	b, _ := suite.Lookup(c.Suite)
	configurable, _ := b.(suite.Configurable)
	return configurable
}

// validNames lists the names that the suite allows for a setting; nil means that it does not say.
func (c *Config) validNames(setting string) []string {
	if s := c.chosen(); s != nil {
		return s.Values(setting)
	}
	return nil
}

// Sections yields the settings of the suite's own sections, by name, in its order.
func (c *Config) Sections() iter.Seq2[string, suite.Settings] {
	return func(yield func(string, suite.Settings) bool) {
		s := c.chosen()
		if s == nil {
			return
		}

		for _, section := range s.Sections() {
			if !yield(section.Name, c.BySection[section.Name]) {
				return
			}
		}
	}
}
