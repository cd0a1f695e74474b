/** Fields whose text people, services and files control. */
const free =
  /^(name|label|message|remedy|detail|agentId|baseUrl|condition|reason|seen|expected|rule|file|inWords|machineClass|why|key|base|head|example|problem|warnings|commit|before|after|metric|target|scenario|toolVersion|preview|messages|variableValues|host|summary|protocol|machine|objective|path|where|language|body|text|data|type|contentType|url|otherwise|issuer|fields|calls|id|address)$/;

/** Returns a document with changed text in all fields that people, services and files control. */
export function poison<Json>(document: Json, change: (text: string) => string, field = ''): Json {
  return poisoned(document, change, field) as Json;
}

function poisoned(value: unknown, change: (text: string) => string, field: string): unknown {
  if (typeof value === 'string') return free.test(field) ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, change, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poisoned(inner, change, key)]));
}
