import type { Result } from '../../result/result.ts';
import type { SideName } from '../document/side.ts';

type JudgedValidity = Pick<Result, 'validity'>;

/** Why the service broke a run: what makes it invalid is its doing, and the generator's none; `null` where it did not. */
export function brokenBecause({ validity: { verdict, reasons } }: JudgedValidity): string | null {
  if (verdict !== 'invalid' || reasons.some(({ blame }) => blame === 'generator')) return null;
  return reasons.find(({ severity }) => severity === 'invalid')?.message ?? null;
}

/**
 * Whether a run can stand for its side. What its service left in doubt is judged like any other figure; a head that its
 * service broke is judged for that, but nothing can be compared with a base that is broken.
 */
export function isSound(run: JudgedValidity, side: SideName): boolean {
  const { verdict, reasons } = run.validity;
  if (verdict === 'valid') return true;
  if (verdict === 'invalid') return side === 'head' && brokenBecause(run) !== null;
  return reasons.length > 0 && reasons.every(({ blame }) => blame === 'service');
}

/** Whether a run says nothing of its service, so that it may be left out: it cannot be trusted, and the service did not break it. */
export function isNoEvidence({ validity: { verdict, reasons } }: JudgedValidity): boolean {
  return (
    !isSound({ validity: { verdict, reasons } }, 'head') &&
    !reasons.some(({ blame, severity }) => blame === 'service' && severity === 'invalid')
  );
}
