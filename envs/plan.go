package envs

// Plan is a solution of a task in the prompt version, one call at a time: given the observations of
// its own calls so far, in order, it returns the next thought and call. The last call is Finish. An
// error means that the observations are not what the plan expects, so that it cannot continue.
type Plan func(results []string) (thought string, next Call, err error)
