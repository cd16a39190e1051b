#!/usr/bin/env bash
# Proves toolevo improve and finetune with real parts: LLaMA-Factory, Ollama and vLLM, on a CPU. See README.md.
#
#   improve.sh TOOLEVO
#
# TOOLEVO is the built program.
# Exit 0: everything held, or the last line begins with "SKIPPED: ". Exit 1: something was found wrong. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=improve
[ $# -eq 1 ] && [ -x "$1" ] || { sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

# shellcheck source=programs.sh
. "$here/programs.sh"

python3 "$servers/model.py" "$work/model" "$tokenizer" "$window" || fail "the model could not be made"
"$toolevo" data build --data "$work/data" --dataset coffee --rows 400 >/dev/null 2>&1 || fail "no data"
"$toolevo" data questions --data "$work/data" --scale 0.02 >/dev/null 2>&1 || fail "no questions"

# How a checkpoint is asked: in the form that it was trained on, a few tokens for a few turns.
cat >"$work/asked.yaml" <<END
server: {form: llama3, window: $window, sampling: {max_tokens: 24}}
eval: {max_turns: 2}
END

cat >"$work/rounds.yaml" <<END
rounds: 2
name: tiny
model: $work/model
template: llama3
collect: {data: $work/data, limit: 2, difficulty: easy, trees: 2, workers: 4, set: [search.simulations=4],
          ignore-unreadable: true} # the model has learnt from four samples
by_round: {1: {collect: {policy: "scripted:noisy"}}}
trained: {config: $work/asked.yaml}
export: {allow-scripted: true, data: $work/data, per-question: 2, tokenizer: $tokenizer}
train:
  command: ["{toolevo}", finetune, "{export}", --allow-scripted, --recipe, tiny, --model, "{model}", --out, "{out}",
            --progress, plain, --set, num_train_epochs=4.0, --llamafactory, $factory]
  environment: {HF_HOME: "{out}.hf"}
  result: "{out}/model"
servers:
  ollama:
    kind: ollama
    wait: 60
    command: [$ollama, serve]
    environment: {HOME: $work, OLLAMA_HOST: "127.0.0.1:{port}", OLLAMA_MODELS: $work/models, CUDA_VISIBLE_DEVICES: "-1"}
  vllm:
    kind: openai
    wait: 300
    command: [bash, $servers/vllm-serve.sh, "{model}", "{name}", "{port}", "$window"]
collector: vllm
evaluate:
  servers: [ollama, vllm]
  flags: {data: $work/data, limit: 1, difficulty: easy, split: test, api: "p_c,p_s_in"}
END

stages="1/collect 1/export 1/train 1/evaluate-ollama 1/evaluate-vllm
	2/collect 2/export 2/train 2/evaluate-ollama 2/evaluate-vllm"

# improve replaces the shell, so that the program itself is killed and not a shell around it.
improve() { exec "$toolevo" improve "$work/rounds.yaml" --out "$work/out" --progress plain; }

# Stages of every kind, each killed once while it works. Servers and trainers must not survive it.
killed="1/collect 1/export 1/train 1/evaluate-ollama 1/evaluate-vllm"

# busy STAGE: whether a stage is really at work.
busy() {
	local dir=$work/out/round-${1%%/*}
	case $1 in
	*/train) [ -e "$dir/train/weights/checkpoint-1/trainer_state.json" ] ;;
	*/evaluate-*) [ -e "$dir/${1#*/}/run.db" ] ;;
	*) grep -qxF "$1 …" "$work/said" ;;
	esac
}

for stage in $killed; do
	improve >/dev/null 2>"$work/said" &
	server=$!
	until busy "$stage"; do
		kill -0 "$server" 2>/dev/null || break
		sleep 0.05
	done
	kill -9 "$server" 2>/dev/null || true
	wait "$server" 2>/dev/null || true
	server=
	cat "$work/said" >>"$work/all"
	for _ in $(seq 120); do
		pgrep -f "$work/" >/dev/null || break
		sleep 0.5
	done
	! pgrep -f "$work/" >/dev/null || fail "something survives a kill in $stage"
	grep -qxF "$stage …" "$work/said" || fail "$stage was not under way when it was to be killed: $(cat "$work/said")"
	echo "improve: killed in $stage, after $SECONDS s"
done

(improve >"$work/table" 2>"$work/said") || { tail -n 40 "$work/said" >&2; fail "the improvement does not end"; }
cat "$work/said" >>"$work/all"
cat "$work/table"

# Every stage was begun once, and once more if it was killed: no finished stage is repeated. A small collection or
# export may have been finished before it could be killed; then the stage after it was killed once more.
for stage in $stages; do
	least=1 most=1
	case " $killed " in *" $stage "*) least=2 most=2 ;; esac
	case $stage in 1/collect | 1/export) least=1 ;; esac
	case $stage in 1/export | 1/train) most=3 ;; esac
	began=$(grep -cxF "$stage …" "$work/all" || true)
	[ "$began" -ge $least ] && [ "$began" -le $most ] || fail "stage $stage was begun $began times, want $least to $most"
done

grep -q "Resuming training from .*checkpoint-" "$work/out/round-1/train/train.log" || fail "the training began anew"
! grep -q "Resuming training" "$work/out/round-2/train/train.log" || fail "the second training is not one of its own"
[ "$(grep -cE '^ *[12] .* (ollama|vllm) ' "$work/table")" = 4 ] || fail "the table has not two servers in two rounds"
python3 - "$work/out" <<'END' || fail "the rounds are not what they should be (see above)"
import csv, json, sys
from pathlib import Path

out = Path(sys.argv[1])
rows = [r for r in csv.DictReader((out / "rounds.csv").open()) if r["dataset"] != "all"]
assert len(rows) == 8, f"{len(rows)} figures, want those of 2 rounds, 2 servers and 2 API versions"
assert all(int(r["n"]) > 0 and r["lost"] == "0" for r in rows), rows
for round in "12":
    origin = json.loads((out / f"round-{round}" / "train" / "model" / "toolevo.json").read_text())
    assert origin["trainer"].startswith("LLaMA-Factory "), origin
    manifest = json.loads((out / f"round-{round}" / "export" / "manifest.json").read_text())
    assert origin["sources"][0]["export"]["seal"] == manifest["seal"], (origin["sources"], manifest["seal"])
assert "openai:tiny-1" in (out / "round-2" / "run" / "run.yaml").read_text(), "another policy collected round 2"
END
echo "improve: everything held, in $SECONDS s"
