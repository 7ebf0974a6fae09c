import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../contract/problems.ts';
import { compileMisplaced, compileQuery, PageQuery } from './query.ts';

const read = compileQuery(
  Type.Object({ ...PageQuery, tag: Type.Optional(Type.String()), done: Type.Optional(Type.Boolean()) }),
);
function refusal(text: string): string {
  try {
    return `taken: ${JSON.stringify(read(text))}`;
  } catch (error) {
    const { code, extras } = error as Refusal;
    return [code, ...(extras.errors ?? []).map((fault) => `${fault.pointer} ${fault.code}`)].join(' ');
  }
}

describe('a query', () => {
  it('routes with the same schema share one compiled reader', () => {
    const schema = Type.Object(PageQuery);
    expect(compileQuery(schema)).toBe(compileQuery(schema));
  });

  it('the schema converts numbers and booleans of a query, and a plus is a space', () => {
    expect(read('limit=7&tag=a+b%2Bc&done=false')).toEqual({ limit: 7, tag: 'a b+c', done: false });
    expect(read('')).toEqual({});
    expect(read('tag=7')).toEqual({ tag: '7' });
  });

  it.each([
    ['limit=0', 'validation_failed /limit out_of_range'],
    ['limit=101', 'validation_failed /limit out_of_range'],
    ['limit=1.5', 'validation_failed /limit type'],
    ['limit=0x10', 'validation_failed /limit type'],
    ['limit=%201', 'validation_failed /limit type'],
    ['limit=', 'validation_failed /limit type'],
    ['limit=9999999999999999999999', 'validation_failed /limit type'],
    ['limit=1&limit=2', 'validation_failed /limit duplicate'],
    ['done=1', 'validation_failed /done type'],
    ['cursor=', 'validation_failed /cursor too_short'],
    ['other=1', 'validation_failed /other unknown_field'],
    ['constructor=1', 'validation_failed /constructor unknown_field'],
    ['__proto__=1', 'request_invalid'],
    ['tag=%00', 'request_invalid'],
    ['tag=%zz', 'request_invalid'],
    ['tag=%ff', 'request_invalid'],
  ])('the query %s is refused: %s', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });
});

describe('the query of a call with a body', () => {
  const check = compileMisplaced(Type.Object({ message: Type.String(), dry_run: Type.Boolean() }));
  const checkOther = compileMisplaced(undefined);

  it('a field of the body is refused, because it would have no effect', () => {
    const errors = (pointer: string, detail: string) => ({
      extras: { errors: [{ pointer, code: 'unknown_field', detail }] },
    });
    const inBody = 'Send this field in the body, not in the query.';
    expect(() => check('dry_run=true')).toThrow(expect.objectContaining(errors('/dry_run', inBody)));
    expect(() => check('a=1&message=%zz')).toThrow(expect.objectContaining(errors('/message', inBody)));
    expect(() => checkOther('dry_run')).toThrow(
      expect.objectContaining(errors('/dry_run', 'This call has no dry run.')),
    );
  });

  it('other parameters are ignored', () => {
    expect(() => check('')).not.toThrow();
    expect(() => check('utm_source=%zz&key=parley_us_1&constructor=1')).not.toThrow();
    expect(() => checkOther('message=1')).not.toThrow();
  });
});
