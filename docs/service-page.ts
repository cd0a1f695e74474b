// The generated parts of docs/reference/embedded-service.md.
import { loadApis } from '../src/reference-service/apis/registry.ts';
import { serviceRoutes } from '../src/reference-service/routes/inspection.ts';
import { faultTable as faults } from '../src/scenario/embedded-faults.ts';
import { kindNotes } from '../src/scenario/embedded-kinds.ts';
import { sabotageTable as sabotage } from '../src/scenario/embedded-sabotage.ts';

const apis = await loadApis();

/** Routes of the service as a Markdown table. */
export function routeTable(): string {
  return table(
    ['route', 'body', ''],
    serviceRoutes(apis).map((route) => [
      `\`${route.method} ${route.path}\``,
      'body' in route ? `\`${JSON.stringify(route.body)}\`` : '',
      route.meaning,
    ]),
  );
}

export function faultTable(): string {
  return kindTable(kindNotes(faults));
}
export function sabotageTable(): string {
  return kindTable(kindNotes(sabotage));
}

const kindTable = (notes: ReturnType<typeof kindNotes>): string =>
  table(
    ['kind', 'effect', 'for example'],
    Object.entries(notes).map(([kind, { meaning, example }]) => [
      `\`${kind}\``,
      meaning,
      `\`${JSON.stringify(example)}\``,
    ]),
  );

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
