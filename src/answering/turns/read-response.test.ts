import { expect, test } from 'vitest';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { readResponse } from './read-response.ts';

/** A response of own code whose parts arrive one by one. */
function streamed(parts: Iterable<string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const STREAM =
  'event: delta\r\ndata: {"text":"It ships "}\r\n\r\n: comment\n\nevent: answer\ndata: {"messages":\ndata: []}\n\n';

test.each([1, 2, 3, 7, STREAM.length])('events are read completely from parts of %i characters', async (size) => {
  const parts = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
  const deltas: string[] = [];
  const words = { add: (text: string) => deltas.push(text), takeBack: () => deltas.push('taken back') };
  expect(await readResponse(streamed(parts), [], words as never)).toEqual({ messages: [] });
  expect(deltas).toEqual(['It ships ', 'taken back']);
});

test('the time to read a stream does not grow with the number of its parts', async () => {
  const read = (parts: number) =>
    cpuMsUntil(() => expect(readResponse(streamed('x'.repeat(parts)), [], undefined)).rejects.toThrow('ended without'));
  await read(1_000);
  const few = await read(10_000);
  expect(await read(100_000)).toBeLessThan(40 * few + 200);
});
