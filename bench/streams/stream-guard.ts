import type { Result } from '../../src/result/result.ts';
import type { Finding } from '../finding.ts';
import { play, wordsOf } from './play.ts';
import { findFaults } from './stream-faults.ts';
import type { StreamBench } from './stream-bench.ts';
import { protocols, service, withService, type Protocol } from './with-service.ts';

/** Checks a million streamed turns for false alarms, and detections of stream faults against the service's counts. */
export async function measureStreamGuard(bench: StreamBench): Promise<Finding[]> {
  const turns = Math.ceil((1_000_000 * bench.scale) / protocols.length);
  const findings: Finding[] = [];
  for (const protocol of protocols) findings.push(...(await speakHonestly(bench, protocol, turns)));
  return [...findings, ...(await findFaults(bench))];
}

async function speakHonestly({ folder, report }: StreamBench, protocol: Protocol, turns: number): Promise<Finding[]> {
  return withService({ folder, options: service }, async ({ baseUrl }) => {
    const { result } = await play({ folder, baseUrl, scenario: honest(protocol, turns) });
    const { integrity } = result;
    report(`${protocol}: ${wordsOf(result)}, integrity ${integrity.verdict}, ${String(integrity.replies)} replies`);
    const recalled = integrity.checks.find(({ name }) => name === 'continuity')?.checked ?? 0;
    return [
      { what: `replies that the guard checked, ${protocol}`, value: integrity.replies, atLeast: turns },
      { what: 'requests for the code among them', value: recalled, atLeast: 1 },
      {
        what: 'false alarms, replies without their tag included',
        value: integrity.failed + integrity.untagged,
        atMost: 0,
      },
      { what: 'turns that were not ok', value: notOk(result), atMost: 0 },
    ];
  });
}

const turnsOfSession = 5;

const honest = (protocol: Protocol, turns: number): string =>
  `name: 'guard', messages: ['Where is my order {{session.number}}?'], turns: ${String(turnsOfSession)},
   sessions: ${String(Math.ceil(turns / turnsOfSession))}, integrity: true, load: { concurrency: 32 },
   target: { agentId: 'bench', protocol: '${protocol}', stream: true }`;

const notOk = ({ outcomes }: Result): number =>
  Object.entries(outcomes.turns).reduce((sum, [name, count]) => (name === 'ok' ? sum : sum + count), 0);
