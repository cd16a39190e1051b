# The programs of a fine-tuning with real parts, each built once. Sourced by scripts that have set here and name; sets
# factory, ollama, and what mcts/policy/interop/vllm-serve.sh needs, beside what lib.sh sets.
# shellcheck shell=bash

# shellcheck source=../../mcts/policy/interop/lib.sh
. "$here/../../mcts/policy/interop/lib.sh"
# shellcheck source=../../mcts/policy/interop/ollamalib.sh
. "$servers/ollamalib.sh"
# shellcheck source=../../mcts/policy/interop/vllm-install.sh
. "$servers/vllm-install.sh"
# shellcheck source=../../trajectories/interop/environment.sh
. "$repository/trajectories/interop/environment.sh"

build_ollama
environment interop "$repository/trajectories/interop/pins.txt"
factory=$environment/bin/llamafactory-cli
ollama=$program
export VLLM_ENV=$env VLLM_WORK=$work/vllm
export PYTHONDONTWRITEBYTECODE=1 CUDA_VISIBLE_DEVICES='' TOKENIZERS_PARALLELISM=false OMP_NUM_THREADS=1
