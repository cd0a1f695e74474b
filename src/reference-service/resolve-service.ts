import { createSecureContext } from 'node:tls';
import type { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { ChatLoadError } from '../base/errors.ts';
import { fileReason } from '../base/file-reason.ts';
import { isObject } from '../base/is-object.ts';
import { embeddedOptions, type EmbeddedOptions, type ResolvedEmbedded } from '../scenario/embedded.ts';
import { modelOptions, type ModelOptions, type ResolvedModel } from '../scenario/model-options.ts';
import { problemsOf } from '../scenario/read-scenario.ts';
import { readTextOf } from '../edge/open-file.ts';
import type { TlsIdentity } from './service.ts';

/**
 * Returns the options of a standalone service: the JSON file, if there is one, overridden by `over`. Throws a usage error
 * that lists every problem, each with its path.
 */
export async function resolveService(file: string | undefined, over: EmbeddedOptions): Promise<ResolvedEmbedded> {
  return resolve('embedded', embeddedOptions, { file, over });
}

/** Returns the options of a standalone model service, likewise. */
export async function resolveModel(file: string | undefined, over: ModelOptions): Promise<ResolvedModel> {
  return resolve('model', modelOptions, { file, over });
}

async function resolve<Options>(
  name: string,
  schema: z.ZodType<Options>,
  { file, over }: { file: string | undefined; over: object },
): Promise<Options> {
  const author = file === undefined ? {} : await readJson(file, name);
  const read = schema.safeParse(isObject(author) ? { ...author, ...over } : author, { reportInput: true });
  if (read.success) return read.data;
  const lines = problemsOf(read.error).map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  throw new ChatLoadError('usage', {
    message: `the service cannot be started with these settings:\n${lines.join('\n')}`,
    hint: `Fix ${file ?? 'the flags'}; docs/reference/options.md explains every field of ${name}.`,
  });
}

async function readJson(file: string, name: string): Promise<unknown> {
  try {
    return parseJson(await readTextOf(file));
  } catch (failed) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(failed)}.`,
      hint: `Name a JSON file with --config, with the fields of \`${name}\` in a scenario.`,
      cause: failed,
    });
  }
}

/** Reads a certificate and its key from PEM files; throws a usage error if they are not PEM, or do not match. */
export async function readTlsIdentity(files: { cert: string; key: string }): Promise<TlsIdentity> {
  try {
    const [cert, key] = await Promise.all([readTextOf(files.cert), readTextOf(files.key)]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (failed) {
    throw new ChatLoadError('usage', {
      message: `the certificate cannot be used: ${fileReason(failed)}.`,
      hint: 'Name the PEM files of a certificate and its private key with --tls-cert and --tls-key.',
      cause: failed,
    });
  }
}
