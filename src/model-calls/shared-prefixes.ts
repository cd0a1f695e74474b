import type { prefixSources } from '../record/model-counters.ts';
import { RecentMap } from '../base/recent-map.ts';

type Source = (typeof prefixSources)[number];

/** Turn of a call; `undefined` for a call that is not attributed. */
type Owner = Readonly<{ session: number; turn: number }> | undefined;

/** The longest prefix of a call's input that an earlier call has, too. */
export interface SharedPrefix {
  source: Source;
  bytes: number;
}

const blockBytes = 256;
const maxBlocks = 200_000;

/** Blocks of the latest inputs. The digest of a block covers all blocks before it, so that one block identifies a prefix. */
export class SharedPrefixes {
  readonly #owners = new RecentMap<string, { owner: Owner }>(maxBlocks);

  /** Returns the prefix that the input shares with the latest call that has it, and remembers the input. */
  take(blocks: readonly string[], owner: Owner): SharedPrefix | undefined {
    const at = blocks.findLastIndex((block) => this.#owners.has(block));
    const earlier = at === -1 ? undefined : this.#owners.get(blocks[at] ?? '')?.owner;
    const entry = { owner };
    for (const block of blocks.slice(Math.max(0, at))) this.#owners.set(block, entry);
    return at === -1 ? undefined : { source: sourceOf(earlier, owner), bytes: (at + 1) * blockBytes };
  }

  get size(): number {
    return this.#owners.size;
  }
}

/** Returns the size of an input of whole blocks. */
export function bytesOf(blocks: readonly string[]): number {
  return blocks.length * blockBytes;
}

function sourceOf(earlier: Owner, owner: Owner): Source {
  if (earlier === undefined || earlier.session !== owner?.session) return 'otherSession';
  return earlier.turn === owner.turn ? 'sameTurn' : 'earlierTurn';
}
