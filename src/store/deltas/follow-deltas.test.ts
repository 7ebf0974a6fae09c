import { expect, test } from 'vitest';
import { followDeltas } from './follow-deltas.ts';
import type { DeltaChange } from './watched-topics.ts';

function given() {
  const sent: [event: string, text: string][] = [];
  let onChange: (change: DeltaChange) => void = () => {};
  const liveDeltas = {
    follow: (_topic: string, listener: typeof onChange) => {
      onChange = listener;
      return () => {};
    },
  };
  const follower = followDeltas(liveDeltas, 'topic', (event, text) => sent.push([event, text]));
  const write = (text: string): void => onChange({ turn: 'turn', text, replaces: false, isStored: false });
  const store = (): void => onChange({ turn: 'turn', text: '', replaces: true, isStored: true });
  return { sent, follower, write, store };
}

test('a reader who already has the message does not keep its text', () => {
  const { sent, follower, write, store } = given();
  write('On Monday.');
  // The message is stored, but the end of its turn has not arrived yet.
  follower.endMessage();
  follower.open(true);
  store();
  expect(sent).toEqual([['replace', 'On Monday.'], ['replace', '']]); // prettier-ignore
});

test.each([
  ['saw the turn begin', true, ['', 'On Monday.']],
  ['reads the messages of the run in order', false, ['On Monday.', '']],
])('the text stays until its message, for a reader who %s', (_who, mayHaveMessage, [before, after]) => {
  const { sent, follower, write, store } = given();
  write(before!);
  follower.open(mayHaveMessage);
  write(after!);
  store();
  follower.endMessage();
  write(' Late');
  expect(sent.filter(([, text]) => text !== '')).toEqual([[before === '' ? 'delta' : 'replace', 'On Monday.']]);
  expect(sent).not.toContainEqual(['replace', '']);
});
