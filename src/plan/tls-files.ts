import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ReadTls } from '../scenario/tls-options.ts';

/** The options of `target.tls` that name files. */
export const tlsFileNames = ['ca', 'cert', 'key', 'pfx'] as const;
export type TlsFileName = (typeof tlsFileNames)[number];

/** What those files hold, and the pass phrase of the key. In no document. */
export interface TlsFiles extends Partial<Record<TlsFileName, Buffer>> {
  passphrase?: string;
  /** When the client certificate ends. */
  clientValidTo?: Date;
}

/** The files that were named, and where each was: in the scenario file, or around it (flag, environment). */
export interface NamedTlsFiles {
  tls: ReadTls;
  isInScenario: (name: TlsFileName) => boolean;
  passphrase: string | undefined;
}

/** Reads them, and looks whether they can be used. */
export type ReadTlsFiles = (named: NamedTlsFiles) => { files: TlsFiles; problems: ScenarioProblem[] };

/** The variable that alone holds the pass phrase of a private key. */
export const passphraseVariable = 'CHAT_LOAD_TLS_PASSPHRASE';
