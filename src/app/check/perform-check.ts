import { setTimeout as wait } from 'node:timers/promises';
import { buildCheck, type CheckDocument } from '../../conformance/check-document.ts';
import { embeddedForCheck, needsFromEmbedded, newCode, ruleSetOf, type Needs } from '../../conformance/rule-set.ts';
import type { Post } from '../../conformance/exchanges.ts';
import { tryRules } from '../../conformance/rule.ts';
import type { Ms } from '../../base/time.ts';
import { openPoster } from '../../edge/http/open-poster.ts';
import { openSocketPoster } from '../../edge/http/open-socket-poster.ts';
import { reachTarget } from '../run/with-target.ts';
import { withService } from '../run/with-service.ts';
import { withAccess } from '../run/with-access.ts';
import { safeDetail } from '../../edge/http/exchange/safe-detail.ts';
import { withFirstIdentity, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { targetRemedy } from '../../result/sections/run-facts.ts';
import { checkHost } from '../run/check-resolved.ts';
import { posterHead } from '../run/conduct-run.ts';
import { senderOptions } from '../run/open-generator.ts';
import { toolVersion } from '../../edge/tool-version.ts';

interface Checking {
  resolved: ResolvedScenario;
  /** Path of the scenario; `undefined` for the built-in one. */
  scenario: string | undefined;
  needs: Needs;
  /** Ids of the rules to test. Default: all. */
  only?: readonly string[] | undefined;
  /** Pause between exchanges. Default: none for the embedded service, otherwise 200 ms. */
  pauseMs: Ms | undefined;
}

/** Tests rules against a target; the embedded service is started first. */
export async function performCheck(checking: Checking): Promise<CheckDocument> {
  const { resolved } = checking;
  checkHost(resolved);
  const { embedded: options, plan } = resolved;
  const embedded = options && embeddedForCheck(options, (await ruleSetOf(resolved)).embedded);
  const needs = options ? needsFromEmbedded(checking.needs, options, plan.target.agentId) : checking.needs;
  return withService({ ...resolved, embedded }, { note: () => undefined }, (baseUrl) =>
    withAccess(withFirstIdentity(resolved), (opened) =>
      checkAgainst(baseUrl, { ...checking, resolved: opened, needs }),
    ),
  );
}

async function checkAgainst(
  baseUrl: URL,
  { resolved, scenario, needs, only, pauseMs }: Checking,
): Promise<CheckDocument> {
  const { secrets, plan, script } = resolved;
  if (needs.wrongKindKey !== undefined) secrets.settle(needs.wrongKindKey);
  const ruleSet = await ruleSetOf(resolved);
  const isEmbedded = resolved.embedded !== undefined;
  const { reached } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
  const wrong = `chat-load-check-no-key-${newCode()}`;
  const keys = { good: resolved.apiKey, wrong, wrong_kind: needs.wrongKindKey ?? wrong };
  const options = { ...senderOptions(baseUrl, reached), head: await posterHead(resolved), keys };
  const poster = options.transport === undefined ? { post: openPoster(options) } : openSocketPoster(options);
  let [wasThere, isGone] = [false, false];
  const post: Post = async (request) => {
    const answer = await poster.post(request);
    if (answer.failure !== 'connect_failed') wasThere = true;
    else isGone ||= wasThere;
    return answer;
  };
  const { talk, rules } = ruleSet.begin(resolved, needs, {
    post,
    pause: (length) => wait(length),
    pauseMs: pauseMs ?? ((isEmbedded ? 0 : 200) as Ms),
  });
  const startedAt = new Date();
  const began = performance.now();
  const chosen = only === undefined ? rules : rules.filter(({ id }) => only.includes(id));
  const clean = (text: string): string => safeDetail(text, (found) => secrets.redact(found));
  const findings = await tryRules(chosen, clean, () => isGone).finally('close' in poster ? poster.close : undefined);
  return buildCheck({
    toolVersion,
    startedAt: startedAt.toISOString(),
    elapsedMs: performance.now() - began,
    target: { baseUrl: plan.target.baseUrl ?? baseUrl.origin, embedded: isEmbedded, agentId: plan.target.agentId },
    ...(ruleSet.description === undefined
      ? {}
      : { protocol: { name: script.protocol.name, description: ruleSet.description } }),
    scenario: scenario === undefined ? null : plan.name,
    exchanges: talk.count,
    remedy: talk.refusal === undefined ? null : targetRemedy({ ...talk.refusal, auth: plan.target.auth }),
    rules: findings,
  });
}
