import type { Result } from '../../result/result.ts';

/** Returns the address template of traces; `undefined` if there is none that is safe in a link, because documents may be from anywhere. */
export function traceTemplate({ scenario }: Pick<Result, 'scenario'>): string | undefined {
  const { traceUrl } = scenario.plan.target;
  if (traceUrl == null || !URL.canParse(traceUrl)) return undefined;
  return /^https?:$/.test(new URL(traceUrl).protocol) ? traceUrl : undefined;
}

/** Formats the id of a trace, or its address. */
export function traceText(id: string, template: string | undefined): string {
  return template === undefined || !/^[0-9a-f]{32}$/.test(id) ? id : template.replaceAll('{traceId}', id);
}

/** Lets a page link the trace ids in the columns of a table. */
export function linkTraces<Column extends { head: string }>(
  columns: readonly Column[],
  link: string | undefined,
): (Column & { link?: string })[] {
  return columns.map((column) =>
    link !== undefined && column.head.startsWith('trace') ? { ...column, link } : column,
  );
}
