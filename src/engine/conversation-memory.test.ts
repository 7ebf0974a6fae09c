import { expect, test } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import {
  MAX_CALLED_CHARACTERS,
  MAX_MEMORY_CHARACTERS,
  readMemory,
  rememberCalls,
  rememberMessages,
  withMemory,
} from './conversation-memory.ts';
import type { TurnMessage } from './provider.ts';

const EMPTY = readMemory(null);
const person = (text: string): TurnMessage => ({ role: 'end_user', text });
const agent = (text: string): TurnMessage => ({ role: 'agent', text });
const filler = (count: number) => Array.from({ length: count }, (_, n) => person(`filler ${n}`));

test('messages that leave the history are stored once without small talk, and short answers with their question', () => {
  const history = [
    person('I am Layla, booking QX-4471.'),
    person('thank you'),
    agent('Fine. Which day suits you?'),
    person('Tuesday'),
    ...filler(20),
  ];
  const once = rememberMessages(EMPTY, history, 0);
  expect(once.said).toEqual([
    { wrote: 'I am Layla, booking QX-4471.' },
    { wrote: 'Tuesday', asked: 'Which day suits you?' },
  ]);
  expect(rememberMessages(once, history, 0)).toBe(once);
  expect(rememberMessages(EMPTY, history.slice(0, 4), 1).said).toEqual([{ wrote: 'I am Layla, booking QX-4471.' }]);
});

test('the question before a short answer is found in linear time', () => {
  const history = Array.from({ length: 8 }, (_, at) => [agent('a'.repeat(32_000)), person(`Flat ${at}`)]).flat();
  expect(cpuMs(() => void rememberMessages(EMPTY, [...history, ...filler(20)], 0))).toBeLessThan(300);
});

test('at the limit, the least informative messages are dropped, but not the first ones and those with facts', () => {
  const chatter = Array.from({ length: 100 }, (_, n) =>
    person(`${'well you know how it goes '.repeat(9)}${'x'.repeat(n)}`),
  );
  const history = [
    person('I have a problem with my heating'),
    ...chatter,
    person('The meter shows 4417 at Flat 12B'),
    ...filler(20),
  ];
  const { said } = rememberMessages(EMPTY, history, 0);
  const wrote = said.map((one) => one.wrote);
  expect(wrote[0]).toBe('I have a problem with my heating');
  expect(wrote.at(-1)).toBe('The meter shows 4417 at Flat 12B');
  expect(JSON.stringify(said).length).toBeLessThan(MAX_MEMORY_CHARACTERS + 200);
  expect(said.length).toBeLessThan(40);
});

test('the newest calls stay within the limit', () => {
  let memory = EMPTY;
  for (let n = 0; n < 10; n++)
    memory = rememberCalls(memory, `answer ${n}`, [{ tool: 't', arguments: { n }, result: 'r'.repeat(20_000) }]);
  expect(memory.turns.at(-1)!.answer).toBe('answer 9');
  expect(memory.turns.length).toBeGreaterThan(1);
  expect(JSON.stringify(memory.turns).length).toBeLessThan(MAX_CALLED_CHARACTERS + 200);
});

test('the memory is stored next to other state, and a damaged memory is ignored', () => {
  const memory = { said: [{ wrote: 'x' }], turns: [] };
  expect(readMemory(withMemory({ misses: 1 }, memory))).toEqual(memory);
  expect(withMemory({ misses: 1 }, EMPTY)).toEqual({ misses: 1 });
  expect(withMemory(null, EMPTY)).toBeNull();
  for (const damaged of ['x', { memory: 'x' }, { memory: { said: [1], turns: [{}] } }])
    expect(readMemory(damaged)).toEqual(EMPTY);
});
