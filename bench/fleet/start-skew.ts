import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';
import { withGreetedService, type GreetedService } from './greeted-service.ts';
import { inBothPlaces, type Place } from './places.ts';
import { runWords, startCommand } from './start-command.ts';
import { steadyScenario } from './steady-scenario.ts';

interface StartSkew {
  folder: string;
  runs: number;
  report: (text: string) => void;
}

const shards = 2;
const allowedMs: Readonly<Record<Place['name'], number>> = { 'by --cores': 5, 'through Redis': 20 };

/** Measures the time between the first messages of two shards, by the service's clock. */
export function measureStartSkew({ folder, runs, report }: StartSkew): Promise<Finding[]> {
  return withGreetedService((service) =>
    inBothPlaces(folder, async (place) => {
      await place.startWorkers(1, shards);
      const skews: number[] = [];
      while (skews.length < runs) {
        skews.push(await skewOf(place, service, folder));
        report(`start skew ${place.name}: ${skews.at(-1)?.toFixed(2) ?? ''} ms`);
      }
      const what = `start skew at the service ${place.name}, of ${String(runs)} runs`;
      return [
        { what: `${what}: median`, value: median(skews), unit: 'ms' },
        // With fewer than a hundred runs the maximum replaces the 99th percentile.
        { what: `${what}: most`, value: Math.max(...skews), unit: 'ms', atMost: allowedMs[place.name] ?? NaN },
      ];
    }),
  );
}

async function skewOf(place: Place, service: GreetedService, folder: string): Promise<number> {
  const out = mkdtempSync(join(folder, 'skew-'));
  service.forget();
  await startCommand([...runWords(steadyScenario, { out, baseUrl: service.baseUrl }), ...place.flags(shards)]).ended;
  const firsts = service.firsts(shards);
  return Math.max(...firsts) - Math.min(...firsts);
}
