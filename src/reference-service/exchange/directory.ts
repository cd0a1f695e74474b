import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { failures, type Delivery } from '../http/delivery.ts';
import { compileInstructions, type Briefing, type VariableValues } from '../conversation/instructions.ts';

export interface Agent {
  readonly id: string;
  readonly account: string;
  readonly chat: boolean;
  brief(values: VariableValues): Briefing;
}

export interface Caller {
  readonly key: string;
  readonly account: string;
}

/** The known callers and agents. */
export class Directory {
  readonly #callers = new Map<string, Caller | undefined>();
  readonly #agents = new Map<string, Agent>();

  constructor({ agents, keys }: Pick<ResolvedEmbedded, 'agents' | 'keys'>) {
    for (const { key, account, kind } of keys)
      this.#callers.set(`Bearer ${key}`, kind === 'developer' ? { key, account } : undefined);
    for (const { id, account, chat, instructions } of agents)
      this.#agents.set(id, { id, account, chat, brief: compileInstructions(instructions) });
  }

  /** Returns the caller with this `Authorization` header, or the refusal. */
  caller(authorization: string | undefined): Caller | Delivery {
    const caller = this.#callers.get(authorization ?? '');
    if (caller !== undefined) return caller;
    return this.#callers.has(authorization ?? '') ? failures.wrongKind : failures.wrongKey;
  }

  /** Returns the agents on the caller's account that have chat enabled. */
  agentsOf(caller: Caller): Agent[] {
    return [...this.#agents.values()].filter(({ account, chat }) => account === caller.account && chat);
  }

  /** Returns an agent on the caller's account that has chat enabled, or the refusal. */
  agent(id: string, caller: Caller): Agent | Delivery {
    const agent = this.#agents.get(id);
    if (agent?.account !== caller.account) return failures.agentNotFound;
    return agent.chat ? agent : failures.chatDisabled;
  }
}
