import type { FastifyReply } from 'fastify';
import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { TalkReader } from '../../features/agents/play-turn.ts';
import { problemBody } from '../edge/problems.ts';
import { metaOf } from '../edge/request-meta.ts';
import { asksForStream } from '../route/asks-for-stream.ts';
import type { EventStream } from '../route/event-stream.ts';

/** Maximum number of simultaneous test chat answers for one person. */
const STREAMS_PER_PERSON = 8;

/**
 * Runs one turn of the test chat and streams its text: The stream sends `delta` and `replace` events, and ends with
 * `turn` or `problem`. A turn without text before its end is answered like a request without a stream. A person who
 * leaves the page stops the turn. A person who loses the access stops the turn too.
 */
export async function streamTestChat(
  reply: FastifyReply,
  { userId, isStillGranted }: { userId: string; isStillGranted: () => Promise<boolean> },
  play: (reader?: TalkReader) => Promise<PlaygroundTurn>,
): Promise<PlaygroundTurn | FastifyReply> {
  const { request } = reply;
  if (!asksForStream(request)) return play();
  const gone = new AbortController();
  const opened: { stream: EventStream | null } = { stream: null };
  const open = (): EventStream | null => {
    try {
      opened.stream ??= request.server.eventStreams.open(request, reply, {
        groups: { [`test chats of ${userId}`]: STREAMS_PER_PERSON },
        isStillGranted,
        onEnd: () => gone.abort(new Error('The person left the test chat.')),
      });
    } catch {
      // No stream is free, so the response contains the whole turn.
    }
    return opened.stream;
  };
  const words: TalkReader['words'] = {
    isRead: () => true,
    add: (text) => void open()?.send('delta', { text }),
    takeBack: () => void opened.stream?.send('replace', { text: '' }),
  };
  try {
    const turn = await play({ words, signal: gone.signal });
    if (opened.stream === null) return turn;
    opened.stream.send('turn', turn);
  } catch (error) {
    if (opened.stream === null) throw error;
    const refusal = error instanceof Refusal ? error : new Refusal('internal_error', undefined, { cause: error });
    opened.stream.send('problem', problemBody(refusal, metaOf(request.raw)!.id, ''));
  }
  opened.stream.end();
  return reply;
}
