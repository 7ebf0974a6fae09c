import { describe, expect, it } from 'vitest';
import { cursorScope, decodeCursor, encodeCursor } from './cursor.ts';

const key = Buffer.alloc(32, 7);
const scope = cursorScope('runs', 'org_a', { status: 'queued' });
const position = ['2026-11-20T20:00:00.000123Z', 'run_01k8v3m9e5f7rsm6z4n0q2x1ab'] as const;
const invalid = expect.objectContaining({ code: 'cursor_invalid' });

describe('a cursor', () => {
  it('a cursor decodes to the position that was encoded', () => {
    expect(decodeCursor(key, scope, encodeCursor(key, scope, position))).toEqual(position);
  });

  it('the cursor does not depend on the order of filters, or on filters without a value', () => {
    expect(cursorScope('l', 'o', { a: 1, b: 2, c: undefined })).toBe(cursorScope('l', 'o', { b: 2, a: 1 }));
  });

  it.each([
    ['another list', cursorScope('recipients', 'org_a', { status: 'queued' })],
    ['another organization', cursorScope('runs', 'org_b', { status: 'queued' })],
    ['other filters', cursorScope('runs', 'org_a', { status: 'failed' })],
    ['no filters', cursorScope('runs', 'org_a')],
  ])('a cursor is refused in %s', (_where, other) => {
    expect(() => decodeCursor(key, other, encodeCursor(key, scope, position))).toThrow(invalid);
  });

  it('a cursor is refused under another key', () => {
    expect(() => decodeCursor(Buffer.alloc(32, 8), scope, encodeCursor(key, scope, position))).toThrow(invalid);
  });

  it('a cursor is refused if any single character is changed', () => {
    const cursor = encodeCursor(key, scope, position);
    for (let i = 0; i < cursor.length; i++) {
      const changed = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`;
      expect(() => decodeCursor(key, scope, changed), `at ${i}`).toThrow(invalid);
    }
  });

  it.each(['', '!', 'AAAA', 'a'.repeat(513), '=', ' ', 'é'])(
    'text that was never a cursor is refused: %j',
    (cursor) => {
      expect(() => decodeCursor(key, scope, cursor)).toThrow(invalid);
    },
  );
});
