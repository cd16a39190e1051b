package configs

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/perturb"
	"toolevo/envs/suite"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
)

// External is the kind of policies that play by themselves: this program cannot ask them.
const External = "external"

// IsExternal reports whether a policy is of the kind External.
func IsExternal(policy string) bool { return strings.HasPrefix(policy, External+":") }

// validate reports the first value that makes no sense, with the layer it came from. Names of API
// versions, policies and compat options are checked where they are looked up, with the valid ones
// in the error.
func (r *Resolved) validate() error {
	// The suite comes first: without it nothing says which names the others may have.
	_, noSuite := suite.Lookup(r.Suite)
	_, noPerturbation := perturb.ParseKind(r.Perturb)

	for _, check := range []check{
		{"suite", noSuite},
		{"dataset", r.checkNames("dataset", r.Dataset)},
		{"difficulty", r.checkNames("difficulty", []string{r.Difficulty})},
		{"perturb", noPerturbation},
		{"split", isOneOf("split", r.Split, r.validNames("split"))},
		{"search", r.Search.Validate()},
		{"server.sampling", r.Server.Sampling.Validate()},
		checkSection("server.headers", r.Server.Headers),
		checkSection("server.session", r.Server.Session),
		checkSection("server.tools", r.Server.Tools),
		checkSection("environment", &r.Environment),
		{"environment.codec", r.checkCodec()},
		{"environment.tool_list", r.checkToolList()},
		{"server.prompt.tools", r.checkTools()},
		{"eval.controller", isOneOf("controller", r.Eval.Controller, controllers())},
		{"branch", r.Branch.validate()},
		{"server.reasoning", r.checkReasoning()},
		{"server.urls", r.checkURLs()},
		{"server.leave_out", server.CheckLeaveOut(r.Server.LeaveOut)},
		{"server.prices", r.checkPrices()},
		checkSection("python", &r.Python),
	} {
		if check.err != nil {
			return r.invalid(check.key, check.err)
		}
	}

	// Only those of the chosen suite: nothing reads the sections of others.
	for name, settings := range r.Sections() {
		if setting, err := settings.Validate(); err != nil {
			return r.invalid(join(name, setting), err)
		}
	}

	for _, f := range fieldsOf(&r.Config) {
		if err := f.validate(); err != nil {
			return r.invalid(f.key, err)
		}
	}

	return r.validateDepths()
}

// check is a setting and what is wrong with it.
type check struct {
	key string
	err error
}

func checkSection(name string, s suite.Settings) check {
	setting, err := s.Validate()
	return check{join(name, setting), err}
}

// checkURLs wants no credentials and no commands.
func (c *Config) checkURLs() error {
	for _, address := range c.Server.URLs {
		if err := suite.CheckAddress(address); err != nil {
			return err
		}
	}

	return nil
}

// checkPrices refuses prices that cannot be parsed.
func (c *Config) checkPrices() error {
	_, err := account.ParsePrices(c.Server.Prices)
	return err
}

// isOneOf refuses a name that is not valid. If valid is nil, every name is.
func isOneOf(kind, name string, valid []string) error {
	if valid == nil {
		return nil
	}

	_, err := names.Parse(kind, name, valid)
	return err
}

// checkNames refuses names that the suite lacks, except everything.
func (c *Config) checkNames(setting string, chosen []string) error {
	for _, name := range chosenOf(chosen) {
		if err := isOneOf(setting, name, c.validNames(setting)); err != nil {
			return fmt.Errorf("%w, %s", err, everything)
		}
	}

	return nil
}

// validate refuses actions without a question, or without the API version that each of them met.
func (b *Branch) validate() error {
	switch {
	case b.Question == "" && len(b.Actions) > 0:
		return errors.New("actions of no question: want branch.question")
	case len(b.Actions) != len(b.API):
		return fmt.Errorf("%d actions, and %d API versions that they met: want one for each", len(b.Actions),
			len(b.API))
	}

	return nil
}

// checkTools refuses a tool list that the suite cannot give.
func (c *Config) checkTools() error {
	if err := isOneOf("tool list", c.Server.Prompt.Tools, []string{ToolsAuto, ToolsAll, ToolsOfDataset}); err != nil {
		return err
	}

	b, err := suite.Lookup(c.Suite)
	if err != nil || c.Server.Prompt.Tools != ToolsOfDataset {
		return err
	}

	if _, ok := b.(suite.Narrower); !ok {
		return fmt.Errorf("the suite %s does not say which tools serve a dataset: want %s", c.Suite, ToolsAll)
	}
	return nil
}

// checkCodec refuses a codec in which the suite cannot read actions.
func (c *Config) checkCodec() error {
	codec, err := action.ParseCodec(c.Environment.Codec)
	if err != nil {
		return err
	}

	b, err := suite.Lookup(c.Suite)
	if err != nil || slices.Contains(suite.Codecs(b), codec) {
		return nil // an unknown suite is another check's error
	}
	return fmt.Errorf("the suite %s cannot read actions written as %s: want one of %v", c.Suite, codec,
		suite.Codecs(b))
}

// checkToolList refuses a tool list that hides the deployed tools from an agent whose server writes
// listed names only.
func (c *Config) checkToolList() error {
	tools := c.Server.Tools
	limited := tools.Ask == server.AskMessages && (tools.Choice == server.ChoiceRequired || tools.Parallel == "false")

	if !limited || !action.IsNative(c.Environment.ActionCodec()) || slices.Equal(c.API, []string{c.Prompt}) ||
		c.Environment.Announces() {
		return nil
	}
	return fmt.Errorf("is %s: servers let a model call listed names alone where server.tools.choice is required or "+
		"server.tools.parallel is false, and what has been renamed is listed only if this is announced",
		c.Environment.ToolList)
}

// checkReasoning refuses a treatment of reasoning that the codec does not allow.
func (c *Config) checkReasoning() error {
	if c.Server.Reasoning == ReasoningAuto {
		return nil
	}

	mode, err := action.ParseReasoning(c.Server.Reasoning)
	if err != nil {
		return fmt.Errorf("%w, %s", err, ReasoningAuto)
	}

	if c.Environment.ActionCodec() == (action.FunctionCall{}) &&
		(mode == action.Refuse || mode == action.Once) {
		return fmt.Errorf("%s: the thought of a function call stands in the tags of reasoning, "+
			"and every turn of the prompt has one (environment.codec): want show or drop", mode)
	}
	return nil
}

// validate refuses a value below the setting's tag least, if it has one.
func (f field) validate() error {
	least, err := strconv.ParseFloat(f.least, 64)
	if err != nil {
		return nil
	}

	switch value := f.value.Interface().(type) {
	case float64:
		return suite.Within(value, least)
	case int:
		return suite.Within(float64(value), least)
	case []string:
		return validateNames(value, int(least))
	}

	return fmt.Errorf("has the tag least, and is a %s", f.value.Type())
}

// validateNames refuses a list that is too short or names something twice, which would then be done
// twice.
func validateNames(list []string, least int) error {
	if len(list) < least {
		return errors.New("is empty, want at least one name")
	}

	seen := make(map[string]bool, len(list))
	for _, name := range list {
		name = strings.TrimSpace(name)
		if seen[name] {
			return fmt.Errorf("has %q twice, want each name once", name)
		}

		seen[name] = true
	}
	return nil
}

// depthName matches a dataset and a difficulty. Presets name datasets that the suite need not have.
var depthName = regexp.MustCompile(`^[a-z0-9_]+-[a-z0-9_]+$`)

func (r *Resolved) validateDepths() error {
	for _, name := range slices.Sorted(maps.Keys(r.Search.MaxDepthBy)) {
		key, depth := "search.max_depth_by."+name, r.Search.MaxDepthBy[name]
		switch {
		case !depthName.MatchString(name):
			return r.invalid(key, errors.New("want a dataset and difficulty, DATASET-DIFFICULTY"))
		case depth < 1:
			return r.invalid(key, fmt.Errorf("is %d, want at least 1", depth))
		}
	}

	return nil
}

func (r *Resolved) invalid(key string, err error) error {
	if origin := r.origins[key]; origin != "" {
		return fmt.Errorf("configs: %s (from %s): %w", key, origin, err)
	}
	return fmt.Errorf("configs: %s: %w", key, err)
}
