import type { RunFacts } from '../../result/sections/run-facts.ts';

const nightPrefix = 'nightly-';

/** What the nightly job calls the runs of a night: `nightly-2026-01-31T020000Z`. */
export function nightLabel(at: Date): string {
  return `${nightPrefix}${at.toISOString().replace(/\.\d+/, '').replaceAll(':', '')}`;
}

/** Whether runs with this label are those of a night. */
export function isNight(label: string): boolean {
  return /^nightly-[\d-]+T\d+Z$/.test(label);
}

/**
 * The release of a run, as far as results show: runs of one label, measured by one version of chat-load. The nights of
 * the nightly job are one series: their release is unknown, and change points find where it changed.
 */
export function releaseOf({ label, toolVersion }: Pick<RunFacts, 'label' | 'toolVersion'>): string {
  return JSON.stringify([label !== null && isNight(label) ? nightPrefix : label, toolVersion]);
}
