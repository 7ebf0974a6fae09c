import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../contract/messages.ts';
import type { RunRecord } from '../../../../contract/triggers.ts';
import { createChunks } from './completion-chunks.ts';
import { runRecord } from '../triggers/examples.ts';

const message = (id: string, text: string): Message => ({
  id,
  role: 'agent',
  content: { type: 'text', text },
  sources: [],
  created_at: runRecord.created_at,
});

function reader(isRead = () => true) {
  const sent: string[] = [];
  const chunks = createChunks(
    { id: 'run_1', createdAt: runRecord.created_at, model: 'agent_1', hasUsage: false, isRepeatable: false },
    (data) => (sent.push(data), isRead()),
  );
  const text = () =>
    sent
      .filter((data) => data !== '[DONE]')
      .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
      .join('');
  return { chunks, sent, text };
}
const ended = (...messages: Message[]) => ({ ...runRecord, status: 'waiting_for_user', messages }) as RunRecord;

describe('the events of a run as chunks', () => {
  test('a message does not repeat its streamed text, and an empty line separates several messages', () => {
    const { chunks, text } = reader();
    chunks.send('delta', { text: 'It ' });
    chunks.send('replace', { text: 'It ships' });
    chunks.send('message', message('msg_1', 'It ships.'));
    chunks.send('message', message('msg_2', 'Bye'));
    chunks.finish(ended(message('msg_1', 'It ships.'), message('msg_2', 'Bye'), message('msg_3', 'Late')));
    expect(text()).toBe('It ships.\n\nBye\n\nLate');
  });

  test('text that the model withdraws stays in the stream, and the stored message follows it', () => {
    const { chunks, text, sent } = reader();
    chunks.send('delta', { text: 'Let me look.' });
    chunks.send('replace', { text: '' });
    chunks.send('delta', { text: 'It ships' });
    chunks.send('replace', { text: 'It ships on' });
    chunks.finish(ended(message('msg_1', 'It ships on Monday.')));
    expect(text()).toBe('Let me look.\n\nIt ships on Monday.');
    expect(JSON.parse(sent.at(-2)!).parley.messages).toHaveLength(1);
    expect(sent.at(-1)).toBe('[DONE]');
  });

  test('a run that has not answered, or has failed, ends with an error instead of the last chunk', () => {
    const { chunks, sent } = reader();
    expect(() => chunks.finish({ ...ended(), status: 'running' })).toThrow(
      expect.objectContaining({ code: 'answer_pending' }),
    );
    const error = { code: 'provider_failed', detail: 'The model is away.' };
    expect(() => chunks.finish({ ...ended(), status: 'failed', error })).toThrow(
      expect.objectContaining({ code: 'run_failed', message: 'The model is away.' }),
    );
    expect(sent).toHaveLength(1);
  });

  test('the stream stops when the client disconnects', () => {
    const { chunks } = reader(() => false);
    expect([chunks.send('delta', { text: 'x' }), chunks.ended]).toEqual([false, true]);
  });
});
