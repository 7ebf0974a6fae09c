import type { ProblemBody } from '../../../contract/problems.ts';
import { Problem, problemOf } from './client.ts';

/**
 * Returns a reader that calls `onText` with the whole text so far, while the answer is written. Then the reader returns
 * the answer, or throws the problem.
 */
export const readStream =
  (onText: (text: string) => void) =>
  async (response: Response): Promise<unknown> => {
    let text = '';
    try {
      for await (const { event, data } of readEvents(response.body!)) {
        if (event === 'turn') return data;
        if (event === 'problem') throw await problemOf(data as Partial<ProblemBody>, response);
        if (event === 'delta') text += (data as { text: string }).text;
        else if (event === 'replace') text = (data as { text: string }).text;
        onText(text);
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
    }
    throw new Problem({ code: 'connection_lost', status: 0 });
  };

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: unknown }> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
