import type { ServerResponse } from 'node:http';
import type { RecordedCall } from './model-wire.ts';

export type RecordedAudio = { model: string; name: string; type: string; bytes: Buffer };
/** The reply is the text, sent after `after` resolves, or a refusal. */
export type Transcript = { text: string; after?: Promise<unknown> } | { status: number };

/**
 * The fake of `POST /v1/audio/transcriptions` takes a form with the file and returns JSON, like OpenAI and compatible
 * servers.
 */
export class FakeTranscripts {
  readonly calls: RecordedAudio[] = [];
  #answers: Transcript[] = [];

  script(...answers: Transcript[]): void {
    this.#answers.push(...answers);
  }

  /** Returns false if the call is not for this fake. */
  async answer(
    { path, headers, body }: Pick<RecordedCall, 'path' | 'headers'> & { body: Buffer },
    key: string,
    response: ServerResponse,
  ): Promise<boolean> {
    if (path !== '/v1/audio/transcriptions') return false;
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (headers.authorization !== `Bearer ${key}`) {
      json(401, { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error' } });
      return true;
    }
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file') as File;
    const bytes = Buffer.from(await file.arrayBuffer());
    this.calls.push({ model: form.get('model') as string, name: file.name, type: file.type, bytes });
    const answer = this.#answers.shift() ?? { text: 'Nothing was scripted.' };
    if ('status' in answer) {
      json(answer.status, { error: { message: 'No.', type: 'invalid_request_error' } });
      return true;
    }
    await answer.after;
    json(200, { text: answer.text, usage: { type: 'duration', seconds: 3 } });
    return true;
  }
}
