import { expect, test } from 'vitest';
import { joinTags } from './join-tags.ts';

const change = (actor_id: string, added_tags: string[], removed_tags: string[] = []) => ({
  type: 'tagged',
  actor_id,
  added_tags,
  removed_tags,
});

test('consecutive changes of one member are one change', () => {
  const other = { type: 'resolved', actor_id: 'a' };
  expect(
    joinTags<object>([change('a', ['x']), change('a', ['y'], ['z']), other, change('a', ['w']), change('b', ['v'])]),
  ).toEqual([change('a', ['x', 'y'], ['z']), other, change('a', ['w']), change('b', ['v'])]);
});

test('a tag that was added and removed is not named', () => {
  expect(joinTags([change('a', ['x', 'y']), change('a', [], ['x'])])).toEqual([change('a', ['y'])]);
  expect(joinTags([change('a', ['x']), change('a', [], ['x'])])).toEqual([]);
  expect(joinTags([change('a', [], ['x']), change('a', ['x'])])).toEqual([]);
});

test('changes whose tags are erased stay one change', () => {
  expect(joinTags([change('a', []), change('a', [])])).toEqual([change('a', [])]);
});
