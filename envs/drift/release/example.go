package release

import (
	"cmp"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// exemplify checks that calls of an API reach the tool, and gives it an example for its notice.
func (t *tool) exemplify(api *toolapi.APISpec, lost []string) error {
	now, err := t.loaded(t.old, *api)
	if err != nil {
		return err
	}

	// What is lost can be in no call, so the sample must do without it.
	call := slices.DeleteFunc(now.Sample(), func(a envs.Arg) bool {
		return slices.Contains(lost, a.Name)
	})

	// If a call with all parameters cannot be expressed, one with the required ones may be.
	for _, of := range []envs.Args{call, toolapi.Needed(call, t.old.Parameters.All)} {
		if lifted, err := now.Lift(of); err == nil {
			api.Notice.Example = pytext.JSON(append(envs.Args{}, lifted...))
			return nil
		}
	}

	// In the other direction, a sample of the release may be a call that the tool takes.
	own := *api
	own.Tool, own.Adapters, own.Description = "", nil, cmp.Or(api.Description, t.old.Description)

	alone, err := t.loaded(own, own)
	if err != nil {
		return err
	}

	sample := alone.Sample()
	if _, wrong := now.Lower(sample); wrong != nil {
		return fmt.Errorf("no example of a call was found: %s", wrong.Reason)
	}

	api.Notice.Example = pytext.JSON(sample)
	return nil
}

// loaded loads an API beside a base that has its tool only.
func (b *builder) loaded(old, api toolapi.APISpec) (*toolapi.API, error) {
	base := &toolapi.Spec{Version: "base", Base: true, Messages: b.base.Messages}
	version := &toolapi.Spec{Version: "version"}

	base.APIs = append([]toolapi.APISpec{old}, b.system()...)
	version.APIs = append([]toolapi.APISpec{api}, b.system()...)

	catalog, err := toolapi.NewCatalog(base, version)
	if err != nil {
		return nil, err
	}

	v, err := catalog.Version("version")
	if err != nil {
		return nil, err
	}

	a, _ := v.ForTool(old.ToolName())
	return a, nil
}
