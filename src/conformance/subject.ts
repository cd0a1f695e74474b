import { isAnonymous } from '../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../plan/resolve-scenario.ts';
import type { ChatApi, ChatProtocol, ProtocolTarget } from '../protocol/protocol.ts';
import { newCode, valuesOf, type Needs } from './rule-set.ts';

/** The service under check, reached through its protocol as a run reaches it. */
export interface Subject {
  /** Opens the API of the target, with other fields of it. */
  open: (over: Partial<ProtocolTarget>) => ChatApi;
  /** The API of the first conversation, without streaming unless the protocol only streams. */
  first: ChatApi;
  /** The API of further conversations; sessions are created only if the protocol always creates them. */
  whole: ChatApi;
  /** `undefined`: the protocol does not stream. */
  streamed: ChatApi | undefined;
  /** Variable values of every message, as JSON text, or ''. */
  values: string;
  timeoutMs: number;
  /** True if requests carry no key. */
  isOpen: boolean;
  /** True if requests carry no credential, not even in a header field of the scenario. */
  isAnonymous: boolean;
  /** Kind of authorization, as in the plan. */
  auth: string;
  needs: Needs;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

/** Describes the target of a scenario for the rules. */
export function subjectOf({ plan, script, auth }: ResolvedScenario, needs: Needs): Subject {
  const protocol: ChatProtocol = script.protocol;
  const target: ProtocolTarget = {
    ...plan.target,
    instructions: script.instructions,
    stream: protocol.streamsOnly === true,
  };
  const open: Subject['open'] = (over) => protocol.open({ ...target, ...over });
  return {
    open,
    first: open({}),
    whole: open({ conversation: 'previous_response' }),
    streamed: protocol.wholeOnly === true ? undefined : open({ conversation: 'previous_response', stream: true }),
    values: valuesOf(script) ?? '',
    timeoutMs: plan.timeoutMs,
    isOpen: auth.kind === 'none',
    isAnonymous: isAnonymous(plan.target),
    auth: plan.target.auth,
    needs,
    newCode,
  };
}
