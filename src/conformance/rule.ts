import type { Talk } from './talk.ts';

/** One rule of the API description, and how to see whether a service keeps it. */
export interface Rule {
  id: string;
  /** Of the API description. */
  section: string;
  /** In words. */
  rule: string;
  expected: string;
  /** `settled`: the description is silent, or names no field, and this product chose; a service that differs is warned of, not failed. */
  standing: 'described' | 'settled';
  /** Throws `Skipped` when it cannot be seen. */
  try: (talk: Talk) => Promise<Seen>;
}

export interface Seen {
  isKept: boolean;
  /** In words; texts of the service are raw in it. */
  seen: string;
}
