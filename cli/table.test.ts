import { describe, expect, test } from 'vitest';
import { field } from './listing.ts';
import { facts, printable, table } from './table.ts';

const plain = (text: string): string => text;

describe('text on a terminal', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['a\u0008b\rc\u0000d', 'a\u{fffd}b\u{fffd}c\u{fffd}d'],
    ['a\u202eb\u2066c', 'a\u{fffd}b\u{fffd}c'],
  ])('terminal control codes are removed from text of users (%j)', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('columns with wide characters, Arabic and line ends are aligned', () => {
    const rows = [
      { name: '東京', x: 1 },
      { name: 'مرحبا', x: 2 },
      { name: 'a\nb', x: null },
    ];
    expect(table(rows, [field('name'), field('x')], plain).split('\n')).toEqual([
      'Name   X',
      '東京   1',
      'مرحبا  2',
      'a b    –',
    ]);
  });

  test('a record is printed with one field per line, lists as words, and objects as JSON', () => {
    expect(facts({ id: 'a', permissions: ['x', 'y'], agent_id: null, settings: { url: 'u' } }, plain)).toBe(
      'id           a\npermissions  x, y\nagent_id     –\nsettings     {"url":"u"}',
    );
  });
});
