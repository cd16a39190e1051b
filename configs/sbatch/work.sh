#!/usr/bin/env bash
# Workers of a run as Slurm jobs, of which any may be taken away: as many as the array has, each with its own server.
#
#   sbatch --array=1-8 configs/sbatch/work.sh runs/night vllm serve MODEL --port 8000
#
# The coordinator, `toolevo collect --listen HOST:PORT --out runs/night`, runs where all nodes reach it. A minute before
# its time is up Slurm signals the worker, which hands in what it has; the job then waits for its turn again.
#SBATCH --job-name=toolevo-worker
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

run=${1:?the folder of the run, then the command of the server}
shift
server=''
if [ "$#" -gt 0 ]; then
  "$@" &
  server=$!
fi

# Set before the worker is there: a signal that comes sooner than a trap ends the script, and leaves the worker.
requeue='' signalled=''
trap 'requeue=yes signalled=yes; [ "${!:-}" = "$server" ] || kill -TERM "$!"' TERM
toolevo work --join "$run" --server "${SERVER:-http://127.0.0.1:8000/v1}" --patience 30m --progress plain &
worker=$!

# A signal ends wait but not the worker, which hands in what it has.
wait "$worker"
code=$?
while [ -n "$signalled" ]; do
  signalled=''
  wait "$worker"
  code=$?
done

if [ -n "$server" ]; then
  kill "$server"
fi
# 130 is that of a worker that was told to end, 143 of one that had not begun.
if [ -n "$requeue" ] && { [ "$code" -eq 130 ] || [ "$code" -eq 143 ]; }; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
