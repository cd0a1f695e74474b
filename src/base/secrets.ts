import { mapTexts } from './printable.ts';
import { failSafe, minSecret, shortRedactorOf } from './redact.ts';
import { searchedForms, type Form } from './secret-forms.ts';
import { keyMark, SecretIndex, secretMark } from './secret-index.ts';

/** Maximum number of remembered secrets that are learned during a run; text with older ones was already written redacted. */
const maxPassing = 10_000;

/** Returns the secrets among environment variables, by their names. */
export function environmentSecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  const named = Object.entries(environment).filter(([name]) => /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$/i.test(name));
  return named.flatMap(([, value = '']) => (value.length < minSecret ? [] : [value]));
}

/**
 * Secrets that must never be written. Their number grows during a run, with renewed tokens and new cookies. The few `settled`
 * ones stay; of the `passing` ones, which may be many, the oldest are forgotten.
 */
export class Secrets {
  readonly #settled = new Set<string>();
  /** Redactors of settled secrets that are too short for other texts. */
  readonly #short: ((text: string) => string)[] = [];
  readonly #long = new SecretIndex();
  /** Forms of passing secrets, the oldest first. */
  readonly #passing = new Map<string, readonly Form[]>();
  readonly #redactWhole = failSafe((text) => this.#long.redact(text));
  readonly #redactAll = failSafe((text) =>
    this.#short.reduce((left, redact) => redact(left), this.#long.redact(text, true)),
  );

  /** Takes the secrets that are known from the start; ignores empty texts. */
  constructor(apiKey = '', others: readonly string[] = []) {
    this.#settle(apiKey, keyMark);
    others.forEach((secret) => this.settle(secret));
  }

  /** Adds one of the few secrets that are kept until the end. */
  settle(secret: string): void {
    this.#settle(secret, secretMark);
  }

  /** Adds one of many secrets. Ignores those shorter than eight characters, which occur in other text. */
  pass(secret: string): void {
    if (secret.length < minSecret || this.#passing.has(secret)) return;
    const forms = searchedForms(secret, secretMark, false);
    this.#passing.set(secret, forms);
    this.#long.add(forms);
    if (this.#passing.size <= maxPassing) return;
    const [oldest, forgotten] = this.#passing.entries().next().value ?? ['', []];
    this.#passing.delete(oldest);
    this.#long.remove(forgotten);
  }

  /** Redacts a text from outside, including the beginning of a secret where the text was cut before it was received. */
  redact(text: string): string {
    return this.#redactAll(text);
  }

  /** Redacts every text of a JSON document except keys. Keeps settled secrets that are too short, which occur in other text. */
  redactDocument<Json>(document: Json): Json {
    return this.#long.isEmpty ? document : mapTexts(document, this.#redactWhole);
  }

  #settle(secret: string, mark: string): void {
    if (secret === '' || this.#settled.has(secret)) return;
    this.#settled.add(secret);
    if (secret.length < minSecret) this.#short.push(shortRedactorOf(secret, mark));
    else this.#long.add(searchedForms(secret, mark, true));
  }
}
