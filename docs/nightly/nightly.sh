#!/usr/bin/env bash
# A night's performance job: runs a scenario, compares it with what is known, keeps the history.
# Needs Node.js 20.19 or later and npm. For cron:
#   15 2 * * *  cd /srv/agent-performance && HEAD_URL=https://agent.example CHAT_LOAD_ALLOW_HOSTS=agent.example ./nightly.sh >> nightly.log 2>&1
#
#   CHAT_LOAD_ALLOW_HOSTS  the hosts that may be loaded, parted by commas; this machine is free
#   HEAD_URL            the release to judge, or embedded for the embedded reference service
#   BASE_URL            the release before it, where both are deployed: they are then run in turn, by pairs
#   CHAT_LOAD_API_KEY   the key of both, or CHAT_LOAD_BASE_API_KEY and CHAT_LOAD_HEAD_API_KEY
#   AGENT_ID            the agent, where the scenario does not say
#   SCENARIO RUNS RESULTS BASELINE REPORTS   see below
#
# Exits as chat-load does: 0 no regression, 1 a regression, 3 no target, 4 not comparable.
set -uo pipefail

scenario=${SCENARIO:-scenarios/smoke.ts}
runs=${RUNS:-5}
results=${RESULTS:-results/nightly}
baseline=${BASELINE:-results/baseline}
reports=${REPORTS:-reports}
night=nightly-$(date -u +%Y-%m-%dT%H%M%SZ)
target=()
series=()
[[ -n ${AGENT_ID:-} ]] && target+=(--agent-id "$AGENT_ID")
mkdir -p "$results" "$reports"

if [[ -z ${HEAD_URL:-} ]]; then
  echo "HEAD_URL is not set: it names the release to judge. To try the job: HEAD_URL=embedded" >&2
  exit 2
fi

chat_load() { npx --no-install chat-load "$@"; }

if [[ -n ${BASE_URL:-} ]]; then
  # Both releases are there: in turn, in one sitting, and once more to confirm an alarm.
  chat_load ab "$scenario" --base "$BASE_URL" --head "$HEAD_URL" --pairs "$runs" --confirm ${target[@]+"${target[@]}"} \
    --base-label base --head-label head --out "$results" --quiet \
    --markdown "$reports/compare.md" --junit "$reports/compare.xml"
  verdict=$?
  # The nights are those of the head: mixed with the base they would be those of neither.
  series=(--label head)
else
  # One release: the night's runs against the kept baseline, with the usual noise of earlier nights.
  target+=(--base-url "$HEAD_URL")
  chat_load run "$scenario" --repeat "$runs" --label "$night" --out "$results" --quiet ${target[@]+"${target[@]}"}
  ran=$?
  # 1 is a gate that failed: the figures are good for a comparison all the same.
  ((ran > 1)) && exit "$ran"
  history=(--no-history)
  [[ -f $results/history.json ]] && history=(--history "$results/history.json")
  if [[ -d $baseline ]]; then
    chat_load compare "$baseline" "label:$night" --in "$results" "${history[@]}" \
      --markdown "$reports/compare.md" --junit "$reports/compare.xml"
    verdict=$?
  else
    echo "There is no baseline in $baseline yet. To compare later nights with this one:"
    echo "  mkdir -p $baseline && cp $results/*-$night*.json $baseline/"
    verdict=0
  fi
  ((verdict == 0)) && verdict=$ran
fi

# Change points over the nights; also writes the history that the next comparison learns its noise from.
chat_load trend "$results" ${series[@]+"${series[@]}"} --format markdown >"$reports/trend.md" || echo "trend: no verdict (exit $?)" >&2

exit "$verdict"
