#!/bin/sh
# Replaces llamafactory-cli: it makes the files that the real one makes, in the same order, with nothing in them.
#
# FAKE_STEPS is how many steps a training has (3), each of which ends with a checkpoint. Before a step whose number is in
# the file FAKE_DIE_AT it dies in the middle of saving, and takes the file away; at one in FAKE_WAIT_AT it waits to be
# ended. FAKE_LAST, when it is set, is carried out in the folder of the last weights.
set -eu

argument() { sed -n "s/^$1: *//p" "$2" | tr -d '"'; }

save() {
	mkdir -p "$1"
	printf '\065\0\0\0\0\0\0\0{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}w' >"$1/model.safetensors"
	echo '{}' >"$1/config.json"
	[ "$stage" != rm ] || cp "$1/model.safetensors" "$1/value_head.safetensors"
	[ "$only_model" = true ] || { echo state >"$1/optimizer.pt"; mkdir -p "$1/global_step$2"; }
}

train() {
	[ -d "$(argument dataset_dir "$1")" ] || { echo "no such dataset_dir" >&2; exit 1; }
	out=$(argument output_dir "$1")
	only_model=$(argument save_only_model "$1")
	stage=$(argument stage "$1")
	steps=${FAKE_STEPS:-3}
	mkdir -p "$out"
	step=0
	for dir in "$out"/checkpoint-*; do
		[ -d "$dir" ] || continue
		n=${dir##*-}
		[ "$n" -gt "$step" ] && step=$n
	done
	[ "$step" != 0 ] || [ ! -e "$out/model.safetensors" ] || { echo "Output directory already exists" >&2; exit 1; }
	[ "$step" = 0 ] || [ -e "$out/checkpoint-$step/optimizer.pt" ] || { echo "no optimizer to go on with" >&2; exit 1; }
	[ "$step" = 0 ] || [ "$stage" != rm ] || { echo "no checkpoint index to go on with" >&2; exit 1; }
	echo "training from step $step, ${NPROC_PER_NODE:-no} GPUs"
	while [ "$step" -lt "$steps" ]; do
		step=$((step + 1))
		if [ -e "${FAKE_DIE_AT:-}" ] && [ "$(cat "$FAKE_DIE_AT")" = "$step" ]; then
			rm "$FAKE_DIE_AT"
			mkdir -p "$out/checkpoint-$step"
			echo "half of them" >"$out/checkpoint-$step/model.safetensors"
			echo "CUDA out of memory" >&2
			exit 1
		fi
		if [ -e "${FAKE_WAIT_AT:-}" ] && [ "$(cat "$FAKE_WAIT_AT")" = "$step" ]; then
			echo waiting >"$FAKE_WAIT_AT.reached"
			sleep 600 &
			wait
		fi
		save "$out/checkpoint-$step" "$step"
		echo '{"global_step": '"$step"', "best_model_checkpoint": "'"$out"'/checkpoint-1"}' >"$out/checkpoint-$step/trainer_state.json"
		printf '{"current_steps": %s, "total_steps": %s, "loss": 0.%s, "epoch": %s.0}\n' "$step" "$steps" "$step" "$step" \
			>>"$out/trainer_log.jsonl"
	done
	[ "$(argument load_best_model_at_end "$1")" != true ] || [ -d "$out/checkpoint-1/global_step1" ] || {
		echo "no state of the best checkpoint" >&2
		exit 1
	}
	only_model=true
	save "$out" "$step"
	(cd "$out" && eval "${FAKE_LAST:-}")
}

merge() {
	out=$(argument export_dir "$1")
	mkdir -p "$out"
	adapter=$(argument adapter_name_or_path "$1")
	cat "$adapter/model.safetensors" >"$out/model.safetensors"
	[ "$(argument stage "$1")" != rm ] || cp "$adapter/value_head.safetensors" "$out"
	echo '{}' >"$out/config.json"
}

case $1 in
version) echo "| Welcome to LLaMA Factory, version 0.9.5                |" ;;
train) train "$2" ;;
export) merge "$2" ;;
*) exit 2 ;;
esac
