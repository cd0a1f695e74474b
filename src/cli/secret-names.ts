/** Environment variables whose values are never printed, whatever else goes wrong. */
export const secretNames: readonly string[] = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_BASE_API_KEY',
  'CHAT_LOAD_HEAD_API_KEY',
  'CHAT_LOAD_WRONG_KIND_KEY',
  'CHAT_LOAD_COMPLETIONS_KEY',
  'CHAT_LOAD_REDIS_PASSWORD',
  'CHAT_LOAD_TLS_PASSPHRASE',
];
