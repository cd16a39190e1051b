#!/usr/bin/env bash
# Has a plain OpenAI client (../python/examples/agent.py) drive Qwen2.5-Coder-0.5B-Instruct through ten test tasks of `serve
# env`'s MCP, before and after TRL trained it on an export of native calls. See mcts/policy/CODECS.md.
#
#   agent.sh TOOLEVO DIR
#
# TOOLEVO is the built program, DIR the folder to work in. What is there is not made again. It takes about an hour on two
# cores. Exit 0: the trained model wins what the other does not, or the last line begins with "SKIPPED: ". Exit 1: it does
# not, or something failed. Exit 2: usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=agent
[ $# = 2 ] && [ -x "$1" ] || { sed -n '2,10p' "${BASH_SOURCE[0]}" >&2; exit 2; }
toolevo=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2")

# shellcheck source=../../mcts/policy/interop/lib.sh
. "$here/../../mcts/policy/interop/lib.sh"
# shellcheck source=../../mcts/policy/interop/qwen.sh
. "$servers/qwen.sh"
# shellcheck source=../../mcts/policy/interop/vllm-install.sh
. "$servers/vllm-install.sh"
# shellcheck source=../../trajectories/interop/environment.sh
. "$repository/trajectories/interop/environment.sh"
environment trl "$repository/trajectories/interop/pins.txt"
python=$environment/bin/python
export CUDA_VISIBLE_DEVICES='' TOKENIZERS_PARALLELISM=false TRL_EXPERIMENTAL_SILENCE=1 VLLM_ENV=$env VLLM_WORK=$work/vllm
export TOOLEVO_PYTHON_MODULES= # what is trained is what is asked, on any machine
cd "$dir"

# quietly COMMAND…: runs it, and shows what it said when it fails.
quietly() {
	"$@" >"$work/said" 2>&1 || { tail -n 60 "$work/said" >&2; fail "this failed: $*"; }
}

tasks=(--config policies/tools --data data --dataset coffee --difficulty easy --api p_c --set server.prompt.tools=dataset
	--template coffee-easy/open,coffee-easy/low,coffee-easy/high,coffee-easy/close,coffee-easy/volume)
if [ ! -e samples ]; then
	quietly "$toolevo" data build --data data --dataset coffee --progress none
	quietly "$toolevo" data questions --data data --dataset coffee --progress none
	quietly "$toolevo" collect "${tasks[@]}" --policy scripted:reader --trees 1 --set search.simulations=1 --limit 40 \
		--out collected --progress none
	quietly "$toolevo" export collected --data data --for trl --out samples --allow-scripted
fi

if [ ! -e site ]; then
	quietly thrice "$python" -m pip install --disable-pip-version-check --no-deps --target site.new gguf==0.19.0 peft==0.21.2
	mv site.new site
fi
export PYTHONPATH=$dir/site

if [ ! -e before ]; then
	choose_model qwen05
	fetch_weights
	quietly "$python" "$here/../proof/pretrained.py" before.new "$weights"
	mv before.new before
fi

# The tags of calls are tokens that this model never learnt: their rows are equal to each other and to those of a dozen
# tokens more, so that no adapter of other layers can tell them apart. They begin as the mean of the pieces of their text,
# and as much of a direction that no other token has: a mean alone is never likelier than the likeliest of its pieces.
if [ ! -e start ]; then
	quietly "$python" - <<'PYTHON'
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("before")
model = AutoModelForCausalLM.from_pretrained("before", dtype=torch.float32)
torch.manual_seed(1)
with torch.no_grad():
    for tag, text in ("<tool_call>", ["<", "tool_call", ">"]), ("</tool_call>", ["</", "tool_call", ">"]):
        pieces = [i for part in text for i in tokenizer.encode(part)]
        for rows in model.get_input_embeddings().weight, model.get_output_embeddings().weight:
            direction = torch.nn.functional.normalize(torch.randn(rows.shape[1]), dim=0)
            mean, length = rows[pieces].mean(0), rows[pieces].norm(dim=1).mean()
            rows[tokenizer.convert_tokens_to_ids(tag)] = mean + length * direction
model.save_pretrained("start.new")
tokenizer.save_pretrained("start.new")
PYTHON
	mv start.new start
fi

# TRL's own command, and the line that the export's card asks for. Adapters are on the upper half of the layers: the lower
# half is computed forwards alone. Memory is kept, as clearing it anew takes a fifth of the time.
if [ ! -e after ]; then
	start=$SECONDS
	MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 quietly "$environment/bin/trl" sft --model_name_or_path start \
		--dtype bfloat16 --dataset_name samples --assistant_only_loss true --max_length 2048 --max_steps "${STEPS:-40}" \
		--use_peft true --lora_r 16 --lora_alpha 32 --lora_dropout 0 --lora_target_modules '.*layers\.(1[2-9]|2[0-3])\..*_proj' \
		--learning_rate 5e-4 --lr_scheduler_type constant_with_warmup --warmup_steps 1 --per_device_train_batch_size 1 \
		--gradient_accumulation_steps 1 --gradient_checkpointing false --use_cpu true --bf16 false \
		--logging_steps 1 --save_strategy no --report_to none --output_dir adapter
	grep -o "'loss': '[0-9.]*'" "$work/said" >losses
	echo "agent: trained in $((SECONDS - start)) s; the loss fell from $(head -1 losses) to $(tail -1 losses)"
	quietly "$python" - <<'PYTHON'
import torch
from peft import AutoPeftModelForCausalLM
from transformers import AutoTokenizer

model = AutoPeftModelForCausalLM.from_pretrained("adapter", dtype=torch.float32)
model.merge_and_unload().save_pretrained("after.new")
AutoTokenizer.from_pretrained("before").save_pretrained("after.new")
PYTHON
	mv after.new after
fi

# The server of the tasks: two test questions of each of the five templates.
"$toolevo" serve env "${tasks[@]}" --split test --allow-test --limit 10 --listen 127.0.0.1:0 >"$work/used" 2>"$work/env.log" &
tools=$!
trap 'kill $tools 2>/dev/null || true; stop; rm -rf "$work"' EXIT
until url=$(grep -osm 1 'http://127[0-9.:]*' "$work/env.log"); do
	kill -0 $tools 2>/dev/null || { cat "$work/env.log" >&2; fail "serve env ended"; }
	sleep 0.2
done

for of in before after; do
	port=$(free_port)
	bash "$servers/vllm-serve.sh" "$of" "$of" "$port" 4096 --enable-auto-tool-choice --tool-call-parser hermes \
		--override-generation-config '{"max_new_tokens": 512}' >"$work/$of.log" 2>&1 &
	server=$!
	await "http://127.0.0.1:$port/health" 600 "$work/$of.log"
	start=$SECONDS
	OPENAI_BASE_URL=http://127.0.0.1:$port/v1 OPENAI_API_KEY=none "$python" "$here/../python/examples/agent.py" \
		"$url" "$of" 10 >"$of.jsonl" 2>"$of.txt" || { cat "$of.txt" >&2; tail -n 30 "$work/$of.log" >&2; fail "the client failed"; }
	echo "agent: $of training: $(cat "$of.txt"), in $((SECONDS - start)) s"
	stop
done

won() { grep -c '"reward": 1,' "$1.jsonl" || true; }
[ "$(won before)" -lt "$(won after)" ] && [ "$(won after)" -ge 8 ] || fail "training did not do what it should (see above)"
echo "agent: everything held, in $SECONDS s; $dir has the weights, the samples and all messages"
