# Makes a repository, the same each time, in the folder where it is run: what the tasks of git.jsonl are about.
set -e
export GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' GIT_CONFIG_NOSYSTEM=1

git init -q -b main repo
cd repo
git config user.name Ada
git config user.email ada@example.org
git config commit.gpgsign false

echo one >a.txt
git add .
git commit -q -m 'First note'
echo two >b.txt
git add .
git commit -q -m 'Second note'
git branch feature
git tag v1.0
echo changed >>a.txt
