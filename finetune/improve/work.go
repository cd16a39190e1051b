package improve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/finetune/child"
	"toolevo/finetune/host"
	"toolevo/mcts/store"
)

// play runs a command that makes a run directory. If the stage asks a checkpoint, it is served
// meanwhile.
func (l *loop) play(ctx context.Context, s stage, command string) (_ any, err error) {
	args := append([]string{command, "--out", s.out}, s.args...)

	if _, err := store.ReadManifest(s.out); err == nil {
		args = append(args, "--resume")
	}

	if s.server == "" {
		return l.program.Run(ctx, args...)
	}

	served, err := l.serve(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, served.Stop()) }()

	args = append(args, "--policy", served.Policy, "--server", served.Address)

	var result any

	err = served.While(ctx, func(ctx context.Context) (err error) {
		result, err = l.program.Run(ctx, args...)
		return err
	})
	return result, err
}

// serve serves the checkpoint that a stage asks.
func (l *loop) serve(ctx context.Context, s stage) (*host.Served, error) {
	round := s.round
	if s.name == stageCollect {
		round--
	}

	model, err := filepath.EvalSymlinks(s.model)
	if errors.Is(err, os.ErrNotExist) && round == 0 {
		model, err = s.model, nil // a name of a model hub, which the server may know
	}

	if err != nil {
		return nil, fmt.Errorf("the checkpoint of round %d: %w", round, err)
	}

	c := host.Checkpoint{Folder: model, Name: l.modelName(round), Template: l.config.Template}

	server := l.config.Servers[s.server]

	served, err := server.Serve(ctx, c, l.program.Running(server.Kind),
		l.folder(s.round, s.name+"-server.log"))
	if errors.Is(err, disk.ErrDamaged) && round > 0 {
		err = fmt.Errorf("%w: train them again, the stage %s", err, id(round, stageTrain))
	}
	return served, err
}

// modelName returns the name of a round's checkpoint on servers.
func (l *loop) modelName(round int) string { return l.config.Name + "-" + strconv.Itoa(round) }

// runTrainer runs the trainer's command.
func (l *loop) runTrainer(ctx context.Context, s stage) error {
	log := l.folder(s.round, s.name+".log")
	command := child.Command{Args: s.args, Log: log, Lock: s.out + ".lock"}
	places := l.places(s.round)

	for _, key := range slices.Sorted(maps.Keys(l.config.Train.Environment)) {
		command.Env = append(command.Env, key+"="+places.Replace(l.config.Train.Environment[key]))
	}

	c, err := child.Start(ctx, command)
	if err != nil {
		return err
	}

	stop := l.program.Watch(log)
	err = c.Wait()

	stop()

	if err != nil {
		return err
	}

	if err := checkpoint.Check(l.weights(s.round)); err != nil {
		return fmt.Errorf("the trainer reported success, but train.result is no model: %v: %s", err,
			c.LastWords())
	}
	return nil
}
