import { keepHistory } from '../../app/trend/keep-history.ts';
import { performTrend } from '../../app/trend/perform-trend.ts';
import { printDocument, readFormat } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';

export async function findChanges(args: Given<'trend'> & { folder: string }): Promise<number> {
  const format = readFormat(args);
  const { 'fail-on': failOn, history, metric: metrics } = args;
  const { trend, runs } = performTrend({ ...args, failOn, metrics });
  if (history !== undefined) await keepHistory(runs, history);
  await printDocument(trend, format, { kept: history });
  return (trend.alarm?.date ?? null) === null ? 0 : 1;
}
