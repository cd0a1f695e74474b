import type { Result } from '../../result/result.ts';
import { isOfGaps } from '../../result/validity/gap-doubts.ts';
import type { SideName } from '../document/side.ts';

type JudgedValidity = Pick<Result, 'validity'>;

/** Why the service broke a run: only the service, not the generator, makes it invalid; `null` where it did not. */
export function brokenBecause({ validity: { verdict, reasons } }: JudgedValidity): string | null {
  if (verdict !== 'invalid' || reasons.some(({ blame }) => blame === 'generator')) return null;
  return reasons.find(({ severity }) => severity === 'invalid')?.message ?? null;
}

/**
 * Whether a run can represent its side. Doubts caused by its service are judged like any other figure; doubts about gaps
 * take only the metrics of gaps out of the gate; a head that its
 * service broke is judged for that, but a broken base cannot be compared with.
 */
export function isSound(run: JudgedValidity, side: SideName): boolean {
  const { verdict, reasons } = run.validity;
  if (verdict === 'valid') return true;
  if (verdict === 'invalid') return side === 'head' && brokenBecause(run) !== null;
  return reasons.length > 0 && reasons.every((reason) => reason.blame === 'service' || isOfGaps(reason));
}

/** Whether a run is no evidence about its service, so that it may be left out: it cannot be trusted, and the service did not break it. */
export function isNoEvidence({ validity: { verdict, reasons } }: JudgedValidity): boolean {
  return (
    !isSound({ validity: { verdict, reasons } }, 'head') &&
    !reasons.some(({ blame, severity }) => blame === 'service' && severity === 'invalid')
  );
}
