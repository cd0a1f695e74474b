import { isLoopback, plainName } from './host-names.ts';

/** Address of a model service. */
interface Address {
  host: string;
  port: number;
}

/** Returns the URL of a model service for this machine. */
export function modelOrigin({ host, port }: Address): string {
  const name = isAny(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${String(port)}`;
}

/** Returns the variables that configure an agent with the model service. */
export function modelVariables({ host, port }: Address): Record<'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL', string> {
  const origin = modelOrigin({ host, port });
  return { OPENAI_BASE_URL: `${origin}/v1`, ANTHROPIC_BASE_URL: origin };
}

/** Returns the lines that configure an agent with the model service. */
export function modelAddressLines(address: Address): string[] {
  const exports = Object.entries(modelVariables(address)).map(([name, value]) => `export ${name}=${value}`);
  const container = `in containers: http://host.docker.internal:${String(address.port)}/v1`;
  return [...exports, isLoopback(plainName(address.host)) ? `${container} (requires host 0.0.0.0)` : container];
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::';
