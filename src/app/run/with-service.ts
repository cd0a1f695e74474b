import { startEmbedded } from '../../reference-service/embedded.ts';
import { startAgent } from '../../edge/start-agent.ts';
import { plainName } from '../../plan/host-names.ts';
import { modelAddressLines, modelOrigin, modelVariables } from '../../plan/model-address.ts';
import { openModel, type OpenModel } from '../model/open-model.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';

interface ServiceNeeds {
  note: (text: string) => void;
  /** Ends the wait for the agent that the scenario starts. */
  stop?: AbortSignal | undefined;
}

/**
 * Calls a function with the service of a scenario. The model service, the embedded service, and the agent that the scenario
 * starts are started before, and ended after.
 */
export async function withService<Made>(
  resolved: ResolvedScenario,
  { note, stop }: ServiceNeeds,
  perform: (baseUrl: URL, model: OpenModel | undefined) => Promise<Made>,
): Promise<Made> {
  const { embedded: options, plan, start } = resolved;
  const ends: (() => Promise<void>)[] = [];
  try {
    const model = await openModel(resolved);
    if (model !== undefined) {
      ends.push(() => model.close());
      if (start === undefined) {
        note('model service: configure the agent with');
        for (const line of modelAddressLines(model)) note(`  ${line}`);
      } else note(`model service: ${modelOrigin(model)}; the agent is started with its address`);
    }
    const embedded = options && (await startEmbedded(options));
    if (embedded !== undefined) ends.push(() => embedded.close());
    const baseUrl = new URL(embedded?.baseUrl ?? plan.target.baseUrl ?? '');
    if (start !== undefined) {
      const environment = model === undefined ? {} : modelVariables(model);
      const redact = (text: string): string => resolved.secrets.redact(text);
      const agent = await startAgent({ ...start, ...addressIn(baseUrl), environment, redact, stop, onEnd: note });
      ends.push(() => agent.close());
    }
    return await perform(baseUrl, model);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

const addressIn = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: plainName(hostname),
  port: Number(port) || (protocol === 'https:' ? 443 : 80),
});
