import { describe, expect, test } from 'vitest';
import { errorMessage, describeStatus } from './error-message.ts';

describe('the error message of a service', () => {
  test.each<[unknown, string]>([
    [{ error: 'Agent not found' }, 'Agent not found'],
    [{ error: { type: 'invalid_request_error', message: 'No such model', code: null } }, 'No such model'],
    [{ message: 'Not Found', statusCode: 404 }, 'Not Found'],
    [{ detail: 'Not authenticated' }, 'Not authenticated'],
    [{ detail: [{ loc: ['body', 'model'], msg: 'Field required' }] }, 'Field required'],
    [{ errors: [{ message: 'Bad' }, { message: 'Worse' }] }, 'Bad'],
    [{ title: 'One', detail: 'Two' }, 'Two'],
    [{ error: { error: { message: 'of the gateway behind' } } }, 'of the gateway behind'],
    [{ error: 'two\n  lines\t' }, 'two lines'],
    ['a text', 'a text'],
    [{ error: {}, status: 404 }, ''],
    [{ error: 404 }, ''],
    [null, ''],
    [{ a: { error: 'elsewhere' } }, ''],
  ])('in %j is %j', (json, message) => expect(errorMessage(json)).toBe(message));

  test.each([
    ['404 page not found\nand more', '404 page not found'],
    ['<html><head><title>502 Bad\nGateway</title></head>', '502 Bad Gateway'],
    ['<html>', ''],
    ['', ''],
  ])('in a body that is not JSON, %j, is %j', (body, message) => expect(errorMessage(undefined, body)).toBe(message));

  test('is cut if it is longer than any output shows', () => {
    expect(errorMessage({ error: 'x'.repeat(64_001) })).toBe('x'.repeat(64_000));
    expect(errorMessage({ error: 'x'.repeat(64_000) })).toHaveLength(64_000);
  });

  test('follows the status', () => {
    expect(describeStatus(404, { error: 'gone' })).toBe('status 404: gone');
    expect(describeStatus(404, {})).toBe('status 404');
  });
});
