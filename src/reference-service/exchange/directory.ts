import type { SettledEmbedded } from '../../scenario/embedded.ts';
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

/** The callers and agents that exist. */
export class Directory {
  readonly #callers = new Map<string, Caller | undefined>();
  readonly #agents = new Map<string, Agent>();

  constructor({ agents, keys }: Pick<SettledEmbedded, 'agents' | 'keys'>) {
    for (const { key, account, kind } of keys)
      this.#callers.set(`Bearer ${key}`, kind === 'developer' ? { key, account } : undefined);
    for (const { id, account, chat, instructions } of agents)
      this.#agents.set(id, { id, account, chat, brief: compileInstructions(instructions) });
  }

  /** The caller by the `Authorization` header, or the refusal. */
  caller(authorization: string | undefined): Caller | Delivery {
    const caller = this.#callers.get(authorization ?? '');
    if (caller !== undefined) return caller;
    return this.#callers.has(authorization ?? '') ? failures.wrongKind : failures.wrongKey;
  }

  /** The agents on the caller's account that chat. */
  agentsOf(caller: Caller): Agent[] {
    return [...this.#agents.values()].filter(({ account, chat }) => account === caller.account && chat);
  }

  /** An agent that chats, on the caller's account, or the answer when there is none. */
  agent(id: string, caller: Caller): Agent | Delivery {
    const agent = this.#agents.get(id);
    if (agent?.account !== caller.account) return failures.agentNotFound;
    return agent.chat ? agent : failures.chatDisabled;
  }
}
