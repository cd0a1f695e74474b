import type { Finding } from '../finding.ts';
import { withTarget } from '../with-target.ts';
import { play, streamed } from './play.ts';
import type { StreamBench } from './stream-bench.ts';
import { streamTarget } from './stream-shape.ts';
import type { StreamSpan } from './target.ts';

const MB = 1e6;

/** Measures memory with 10,000 open streams of one event/s each. */
export async function measureStreamMemory({ folder, scale }: StreamBench): Promise<Finding[]> {
  const streams = Math.ceil(10_000 * scale);
  const endless = streamTarget({ events: null, firstMs: 1000, gapMs: 1000, keepsRecords: false });
  return withTarget(endless, async (target) => {
    const { result, used } = await play({ folder, baseUrl: target.baseUrl, scenario: scenarioOf(streams) });
    const { maxInFlight } = await target.counts();
    const { events } = (await target.ask('span')) as StreamSpan;
    const { attempts } = result.outcomes;
    const broken = Object.entries(attempts).filter(([name]) => name !== 'aborted');
    return [
      { what: 'concurrent streams, counted by the target', value: maxInFlight, atLeast: streams },
      { what: 'content events written to them', value: events, atLeast: 10 * streams },
      {
        what: `resident memory with ${streams.toLocaleString('en')} open streams`,
        value: used.peakBytes / MB,
        unit: 'MB',
        atMost: 400,
      },
      {
        what: 'streams that ended before the run',
        value: broken.reduce((sum, [, count]) => sum + count, 0),
        atMost: 0,
      },
    ];
  });
}

/** Returns a scenario whose streams last until the run aborts them. */
const scenarioOf = (streams: number): string =>
  `name: 'open', messages: ['Hi'], turns: 1, retry: 'none', integrity: false, timeout: '10m', ${streamed},
   load: { concurrency: ${String(streams)}, rampUp: '10s' }, duration: '30s', gracePeriod: '0s'`;
