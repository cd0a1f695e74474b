/** Reports whether a name is that of a session's id. */
export function isSessionName(key: unknown): boolean {
  return /(?:session|conversation|convo?|thread|dialog|chat)[_-]?(?:uu)?id$|^(?:session|conversation|thread)$/i.test(
    String(key),
  );
}

/** Reports whether a name is that of a session's id, or of its key or token, which stand for the id. */
export function namesSession(key: unknown): boolean {
  return (
    isSessionName(key) ||
    /^sid$|(?:session|conversation|thread|dialog|chat)[_-]?(?:key|token|handle|ref)$/i.test(String(key))
  );
}

/** Reports whether a value is an id that was generated. */
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** Reports whether a name is that of an id. */
export function isIdName(key: unknown): boolean {
  return namesSession(key) || /(?:^|[_-])(?:uu)?id$|[a-z\d](?:Id|ID|Uuid)$/.test(String(key));
}

/** Reports whether a name is that of a person, by whom a service may distinguish conversations. */
export function isUserName(key: unknown): boolean {
  const plain = String(key).replaceAll(/[_.-]/g, '').toLowerCase();
  return (
    /^(?:user|enduser|sender|from|[us]id|phone(?:number)?|msisdn)$/.test(plain) ||
    /(?:^|my|chat|ext|external)(?:user|enduser|sender|from|customer|client|visitor|contact|member|guest)(?:uu)?id$/.test(
      plain,
    )
  );
}

/** Reports whether the last key of a path names a person's id: `user_id`, or `user.id`. */
export function isUserPath(path: readonly (string | number)[]): boolean {
  const [parent, last] = [path.at(-2), path.at(-1)];
  return (
    isUserName(last) ||
    (isPlainId(last) &&
      /^(?:user|enduser|sender|from|customer|client|visitor|contact|member|guest)$/i.test(String(parent)))
  );
}

/** Reports whether the last key of a path names a session's id: `session_id`, or `session.id`. */
export function isSessionPath(path: readonly (string | number)[]): boolean {
  const [parent, last] = [path.at(-2), path.at(-1)];
  return isSessionName(last) || (isPlainId(last) && isSession(parent));
}

/** Reports whether the last key of a path names what stands for a session's id below the session: `session.token`. */
export function isSessionHandle(path: readonly (string | number)[]): boolean {
  return /^(?:key|token|handle|ref)$/i.test(String(path.at(-1))) && isSession(path.at(-2));
}

const isSession = (key: unknown): boolean => /^(?:session|conversation|thread|dialog|chat)$/i.test(String(key));

const isPlainId = (key: unknown): boolean => /^(?:uu)?id$/i.test(String(key));
