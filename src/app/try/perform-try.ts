import {
  failedExchange,
  isComplete,
  isKeyRefused,
  mayBeAnother,
  type Contact,
  type ContactExchange,
  type ContactModelCalls,
} from '../../conformance/contact/contact.ts';
import { newCode } from '../../conformance/rule-set.ts';
import { systemClock } from '../../edge/clock.ts';
import { newRun } from '../../edge/new-run.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { protocolName } from '../../protocol/registry/registry.ts';
import { checkHost } from '../run/check-resolved.ts';
import { conductRun } from '../run/conduct-run.ts';
import { checkMetrics } from '../../plan/host-names.ts';
import { modelVariables } from '../../plan/model-address.ts';
import type { OpenModel } from '../model/open-model.ts';
import { examine } from './examine.ts';
import type { Transport } from '../../session/send.ts';
import { withAccess } from '../run/with-access.ts';
import { reachTarget } from '../run/with-target.ts';
import { withService } from '../run/with-service.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { senderOptions } from '../run/open-generator.ts';
import type { Stops } from '../run/ports.ts';
import { seekProtocols } from '../run/find-protocols.ts';
import { Tap } from './tap.ts';
import { keyOf } from '../../base/random.ts';
import { ms } from '../../base/time.ts';
import type { ScriptPart } from '../../plan/header-script.ts';
import { forRun } from '../../plan/script.ts';
import { planSession } from '../../plan/session-plan.ts';
import { steadyLoad } from '../../plan/level-load.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';

interface Trying {
  resolved: ResolvedScenario;
  stops: Stops;
  note: (text: string) => void;
  /** Variables that may name a proxy; by default those of this process. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Holds one conversation with the target, with the driver and sender of a run; the embedded service is started first.
 * Nothing is stored. Throws an environment error if the target is unreachable.
 */
export async function performTry(trying: Trying): Promise<Contact> {
  const { resolved } = trying;
  checkHost(resolved);
  checkMetrics(resolved.plan);
  return withService(resolved, { note: trying.note, stop: trying.stops.drain }, async (baseUrl, model) => {
    const { reached, notes } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
    // The findings contain the end of the certificate.
    for (const { message, remedy, code } of notes)
      if (code !== 'target_certificate_ends') trying.note(`warning: ${message} ${remedy ?? ''}`);
    return withAccess(reached, async (opened) => {
      const contact = await converse({ ...trying, resolved: opened }, baseUrl);
      return model === undefined ? contact : { ...contact, modelCalls: await modelCallsOf(model, contact, resolved) };
    });
  });
}

/** Returns the model calls of the agent, compared with the traces of the conversation. */
async function modelCallsOf(
  model: OpenModel,
  { exchanges, streamed, repeated }: Contact,
  { plan }: ResolvedScenario,
): Promise<ContactModelCalls> {
  const others = [streamed, repeated].filter((each) => each !== undefined);
  const sent = [...exchanges, ...others].flatMap(({ request }) =>
    request.fields.filter(([name]) => name.toLowerCase() === 'traceparent').map(([, value]) => value),
  );
  const calls = (await model.seen()).map(({ traceId, ...call }) => ({
    ...call,
    isTraced: traceId !== undefined && sent.some((value) => value.includes(traceId)),
  }));
  return { baseUrl: modelVariables(model).OPENAI_BASE_URL, isByText: plan.model?.match === 'text', calls };
}

/** Has the conversation, and examines the conditions of a load. */
async function converse(trying: Trying, baseUrl: URL): Promise<Contact> {
  const { resolved, stops, environment = process.env } = trying;
  const { contact, tls } = await contactWith(trying, baseUrl);
  if (contact.signal !== undefined) return contact;
  let repeated: ContactExchange | undefined;
  const repeat = async (): Promise<readonly ContactExchange[]> => {
    const { exchanges } = await play(oneConversation(resolved), { stops, baseUrl });
    repeated = exchanges.find(({ turn }) => turn === 1);
    return exchanges;
  };
  const findings = await examine(contact, { resolved, baseUrl, stops, tls, environment, repeat });
  const signal = stops.signal();
  return { ...contact, repeated, signal, ...(signal === undefined && { findings }) };
}

async function contactWith(
  { resolved, stops }: Trying,
  baseUrl: URL,
): Promise<{ contact: Contact; tls: Transport['tls'] }> {
  const { plan, script } = resolved;
  const code = newCode();
  const talk = await play(oneConversation(resolved, [questions.remember(code), questions.recall]), { stops, baseUrl });
  const { address = '' } = talk.transport.addresses[0] ?? {};
  const contact: Contact = {
    target: {
      baseUrl: baseUrl.href.replace(/\/$/, ''),
      isEmbedded: resolved.embedded !== undefined,
      agentId: plan.target.agentId,
      protocol: plan.target.protocol,
      isByPath: resolved.notes.length > 0,
      history: plan.target.history,
      stream: plan.target.stream,
      canStream: script.protocol.wholeOnly !== true,
      isOpen: isAnonymous(plan.target),
      isGuarded: plan.integrity.mode !== 'off',
    },
    address,
    tls: talk.transport.tls,
    exchanges: talk.exchanges,
    code,
    streamed: undefined,
    found: undefined,
    signal: stops.signal(),
  };
  const { tls } = talk.transport;
  if (contact.signal !== undefined) return { contact, tls };
  const failed = failedExchange(contact);
  const isNamed = protocolName(plan.target.protocol) !== undefined;
  const isUnknown =
    isNamed && failed !== undefined && failed.turn <= 1 && (mayBeAnother(failed) || isKeyRefused(failed));
  if (isUnknown) {
    const found = await seekProtocols(resolved, { baseUrl, alsoNearby: true });
    return { contact: { ...contact, found }, tls };
  }
  if (!isComplete(contact) || plan.target.stream || !contact.target.canStream) return { contact, tls };
  const streaming = { ...resolved, plan: { ...plan, target: { ...plan.target, stream: true } } };
  const { exchanges } = await play(oneConversation(streaming), { stops, baseUrl });
  return { contact: { ...contact, streamed: exchanges.at(-1), signal: stops.signal() }, tls };
}

/** Runs one session on new connections. Throws the error of the scenario or of chat-load, if any. */
async function play(
  resolved: ResolvedScenario,
  { stops: { drain, cut }, baseUrl }: Pick<Trying, 'stops'> & { baseUrl: URL },
) {
  const options = senderOptions(baseUrl, resolved);
  const { secrets, script } = resolved;
  const tap = new Tap({ options, clock: systemClock, redact: (text) => secrets.redact(text) });
  const sender = openSender(options);
  const tapped: Parameters<typeof conductRun>[1]['sender'] = {
    send: tap.send(sender.send),
    cut: () => sender.cut(),
    authorize: (fields) => sender.authorize(fields),
  };
  try {
    const { stop } = await conductRun(
      { ...resolved, script: forRun({ ...script, protocol: tap.protocol(script.protocol) }, newRun()) },
      { sender: tapped, clock: systemClock, stops: { drain, cut: AbortSignal.any([drain, cut]) } },
    );
    if (stop !== undefined && 'error' in stop) throw stop.error;
  } finally {
    await sender.close();
  }
  return { exchanges: tap.exchanges, transport: sender.transport() };
}

/** Maximum number of turns, tool turns included. */
const maxTurns = 12;

/** Returns the scenario as one conversation of its first message and others, without retries, think time and checks. */
function oneConversation(resolved: ResolvedScenario, others: readonly string[] = []): ResolvedScenario {
  const first = planSession({ ...resolved.script, guardPrompts: undefined }, 1).message(1);
  const messages = [first, ...others];
  const { plan, script } = steadyLoad(resolved, { concurrency: 1, turns: messages.length, sessions: 1 });
  // A conversation from a file may have its own instructions.
  const instructions = planSession(resolved.script, 1).instructions() ?? script.instructions;
  return {
    ...resolved,
    plan: {
      ...plan,
      onFailedTurn: 'stop',
      timeoutMs: ms(Math.min(plan.timeoutMs, 30_000)),
      maxTurns,
      abandon: null,
      integrity: { ...plan.integrity, mode: 'off' },
    },
    script: {
      ...script,
      instructions,
      messages: messages.map((text): ScriptPart => ({
        path: 'messages',
        key: keyOf('messages'),
        value: { constant: text, render: () => text },
      })),
      conversations: undefined,
      next: undefined,
      checks: [],
      guardPrompts: undefined,
      cost: undefined,
    },
  };
}
