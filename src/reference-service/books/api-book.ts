import type { Operation } from '../../protocol/protocol.ts';
import type { OperationCounts } from './operation-book.ts';
import { serviceClasses, type ServiceClass } from './service-class.ts';
import { apiNames, type ApiName } from './api-names.ts';

/** The exchanges of one API, as far as they are counted by API. */
export type ApiCounts = Omit<OperationCounts, 'stalled'>;
export type ApiBook = Readonly<Record<Operation, ApiCounts>>;

/** Every API's part of the books. */
export type BooksByApi = Record<'chat-messaging' | ApiName, { messages: ApiCounts; creates: ApiCounts }>;

export function newApiBook(): ApiBook {
  return { message: newCounts(), create: newCounts() };
}

/** What the other APIs do not have is chat-messaging's. */
export function byApi(whole: Record<Operation, ApiCounts>, books: Readonly<Record<ApiName, ApiBook>>): BooksByApi {
  const others = apiNames.map((name) => books[name]);
  const rest = (operation: Operation): ApiCounts =>
    others.map((book) => book[operation]).reduce(less, whole[operation]);
  const shown = apiNames.map((name) => [name, { messages: books[name].message, creates: books[name].create }]);
  return structuredClone({
    'chat-messaging': { messages: rest('message'), creates: rest('create') },
    ...Object.fromEntries(shown),
  }) as BooksByApi;
}

function newCounts(): ApiCounts {
  return { received: 0, inProgress: 0, classes: zeroClasses() };
}

const zeroClasses = (): Record<ServiceClass, number> =>
  Object.fromEntries(serviceClasses.map((name) => [name, 0])) as Record<ServiceClass, number>;

function less(whole: ApiCounts, part: ApiCounts): ApiCounts {
  const classes = serviceClasses.map((name) => [name, whole.classes[name] - part.classes[name]]);
  return {
    received: whole.received - part.received,
    inProgress: whole.inProgress - part.inProgress,
    classes: Object.fromEntries(classes) as Record<ServiceClass, number>,
  };
}
