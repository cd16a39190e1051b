package envs

// Plan is a solution of a task in the prompt version, one call at a time: given the observations of
// its own calls so far, in order, it returns the thought and the call that come next. The last call
// is Finish. An error means that the observations cannot be what the plan expects; the plan cannot
// go on.
type Plan func(results []string) (thought string, next Call, err error)
