import { ms, type Ms } from '../base/time.ts';
import type { RetryPolicy } from '../plan/plan.ts';
import type { Random } from '../base/random.ts';

/**
 * The backoffs of one operation, one after another, in milliseconds, before any `Retry-After`.
 * Source of the jitters: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function backoffs(policy: RetryPolicy, random: Random): () => Ms {
  let step = 0;
  let last = policy.baseMs as number;
  return () => {
    const whole = Math.min(policy.capMs, policy.baseMs * policy.factor ** step++);
    switch (policy.jitter) {
      case 'none':
        return ms(whole);
      case 'full':
        return ms(random() * whole);
      case 'equal':
        return ms(whole / 2 + (random() * whole) / 2);
      case 'decorrelated':
        last = Math.min(policy.capMs, policy.baseMs + random() * Math.max(0, last * 3 - policy.baseMs));
        return ms(last);
    }
  };
}
