#!/usr/bin/env bash
# A collection as a Slurm job that is put back into the queue until it is done:
#
#   OUT=runs/night sbatch configs/sbatch/collect.sh --policy openai:MODEL --server http://NODE:8000/v1
#
# Two minutes before its time is up, Slurm signals this script. The run then makes no new model calls, and keeps what it
# has; the job that follows continues it. A limit such as --max-cost ends it for good.
#SBATCH --job-name=toolevo
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=08:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

out=${OUT:?the folder of the run, such as OUT=runs/night}
resume=()
if [ -e "$out/run.json" ]; then
  resume=(--resume)
fi

requeue='' signalled=''
trap 'requeue=yes signalled=yes; kill -TERM "$!"' TERM
toolevo collect "${resume[@]}" --out "$out" --progress plain "$@" &
run=$!

# A signal ends wait but not the run, which finishes the calls in flight.
wait "$run"
code=$?
while [ -n "$signalled" ]; do
  signalled=''
  wait "$run"
  code=$?
done

if [ -n "$requeue" ] && [ "$code" -eq 130 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
