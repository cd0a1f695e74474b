/** Address of a model service. */
interface Address {
  host: string;
  port: number;
}

/** Returns the variables that configure an agent with the model service. */
export function modelVariables({ host, port }: Address): Record<'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL', string> {
  const name = isAny(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const origin = `http://${name}:${String(port)}`;
  return { OPENAI_BASE_URL: `${origin}/v1`, ANTHROPIC_BASE_URL: origin };
}

/** Returns the lines that describe how to configure an agent with the model service. */
export function modelHint(address: Address): string[] {
  const { host, port } = address;
  const exports = Object.entries(modelVariables(address)).map(([name, value]) => `export ${name}=${value}`);
  const container = `http://host.docker.internal:${String(port)}/v1`;
  return [
    `model service: ${exports[0] ?? ''} (Anthropic: ${exports[1] ?? ''})`,
    `from a container: ${container}${isAny(host) ? '' : ", which needs model.host '0.0.0.0'"}`,
  ];
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::';
