import type { Plan } from '../../plan/plan.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { assembleBooks } from '../../result/assembly/assemble-sections.ts';
import { assertBooks } from '../../result/books/assert-books.ts';

/** Throws where the books of a step do not balance: a bug of ours. */
export function requireBalance(plan: Plan, snapshot: Snapshot): void {
  const { balanced, broken } = assembleBooks(plan, snapshot, {
    equations: assertBooks(plan, snapshot),
    hasEnded: true,
  });
  if (balanced === false)
    throw new Error(`the books of a step do not balance: ${broken.map((each) => JSON.stringify(each)).join('; ')}`);
}
