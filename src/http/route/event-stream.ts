import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../contract/problems.ts';
import { createTally } from '../../kernel/tally.ts';

/**
 * Server-sent events (WHATWG HTML, section 9.2), which are responses that stay open. This file does not depend on the
 * content of the events. The file has the common parts of every open stream: a maximum number of streams, a heartbeat
 * for proxies and clients, an end for readers that do not read, and an end for all streams when the process stops. A
 * stream contains hints and may end at any time, so the client must be able to reconnect and request the state.
 *
 * A route declares its access like any other route, and then runs `const stream =
 * request.server.eventStreams.open(request, reply, { groups, onEnd }); … return reply;`.
 */
export type EventStream = {
  /** Returns false if the stream has ended, or if this call ends it because its reader is too slow. */
  send(event: string, data: unknown, id?: string): boolean;
  /** Formats an event that has no name. */
  sendData(data: string): boolean;
  /** The client reconnects after a short time, unless an event told the client to stop. */
  end(): void;
  readonly ended: boolean;
};

export type OpenStream = {
  /**
   * The groups in which streams are counted together (a member, a visitor, a network address), with the maximum of each
   * group. A stream above the maximum is refused with 429.
   */
  groups: Record<string, number>;
  /** True: the heartbeat is an event named `beat` that the client's code can see, not an invisible comment. */
  audible?: boolean;
  /**
   * True if the call would be permitted now. The stream runs this check twice a second. The stream ends if the call is
   * not permitted any more, or if the check fails.
   */
  isStillGranted?: () => Promise<boolean>;
  /**
   * This function is called exactly once, whichever side ends the stream, and also when the caller disconnected before
   * the stream was opened.
   */
  onEnd?: () => void;
};

export type EventStreams = {
  open(request: FastifyRequest, reply: FastifyReply, options: OpenStream): EventStream;
  /** Ends all streams and refuses new streams. */
  drain(): void;
  readonly size: number;
};

declare module 'fastify' {
  interface FastifyInstance {
    eventStreams: EventStreams;
  }
}

export type StreamBounds = { total: number; heartbeatMs: number; bufferBytes: number };

/** Maximum number of streams of one process, which is an eighth of its connections. */
const MAX_STREAMS = 2_048;
/** The interval is below the 30 s and 60 s after which common proxies close a silent response. */
const HEARTBEAT_MS = 15_000;
/** A stream may stay open for this time after its caller has lost the permission. */
const RECHECK_MS = 500;
/** One slow reader may have this much waiting data, in addition to the kernel's buffer. */
const MAX_BUFFERED_BYTES = 64 * 1_024;
/**
 * A client waits for this time before it reconnects, plus a random time of up to the same length, so that not all
 * clients reconnect at the same moment after a stop.
 */
const RETRY_MS = 1_000;

export function createEventStreams(bounds: Partial<StreamBounds> = {}): EventStreams {
  const { total = MAX_STREAMS, heartbeatMs = HEARTBEAT_MS, bufferBytes = MAX_BUFFERED_BYTES } = bounds;
  const streams = new Set<Kept>();
  const counts = createTally<string>();
  let timers: NodeJS.Timeout[] = [];
  let draining = false;

  const add = (stream: Kept): void => {
    streams.add(stream);
    for (const group of stream.groups) counts.add(group);
    if (streams.size > 1) return;
    timers = [
      setInterval(() => streams.forEach(beat), heartbeatMs).unref(),
      // All streams are checked at the same time, so that their checks share a query.
      setInterval(() => streams.forEach(recheck), RECHECK_MS).unref(),
    ];
  };
  const remove = (stream: Kept): void => {
    if (!streams.delete(stream)) return;
    for (const group of stream.groups) counts.remove(group);
    if (streams.size > 0) return;
    timers.forEach(clearInterval);
  };

  const refuse = (options: OpenStream): void => {
    if (draining) throw new Refusal('unavailable', 'This server is stopping.');
    for (const [group, most] of Object.entries(options.groups))
      if (counts.of(group) >= most) throw new Refusal('rate_limited', 'Too many open streams.');
    if (streams.size >= total) throw new Refusal('unavailable', 'Too many open streams on this server.');
  };

  return {
    open: (request, reply, options) => {
      refuse(options);
      const { raw } = reply;
      const groups = Object.keys(options.groups);
      const { isStillGranted } = options;
      const stream: Kept = {
        raw,
        groups,
        beat: options.audible ? BEAT : COMMENT,
        stuck: false,
        ...(isStillGranted && { isStillGranted }),
      };
      let ended = false;
      const finish = (): void => {
        if (ended) return;
        ended = true;
        remove(stream);
        options.onEnd?.();
      };
      const headers = reply.getHeaders();
      reply.hijack();
      add(stream);
      raw.once('close', finish);
      begin(raw, headers as Record<string, string | string[]>);
      // A HEAD request gets only the headers. A client that has disconnected gets no event about the end.
      if (request.method === 'HEAD') raw.end();
      if (raw.destroyed) finish();
      const write = (text: string): boolean => {
        if (ended || raw.writableEnded || isStuck(raw, bufferBytes)) return false;
        raw.write(`${text}\n\n`);
        return true;
      };
      return {
        send: (event, data, id) =>
          write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}`),
        sendData: (data) => write(`data: ${data}`),
        end: () => raw.end(),
        get ended() {
          return ended || raw.writableEnded;
        },
      };
    },
    drain: () => {
      draining = true;
      // A reader that does not read would delay the stop of the process.
      for (const { raw } of streams)
        if (raw.writableLength > 0) raw.destroy();
        else raw.end();
    },
    get size() {
      return streams.size;
    },
  };
}

/** Returns true if too much data waits for the reader, so that the connection must be closed. */
function isStuck(raw: ServerResponse, bufferBytes: number): boolean {
  if (raw.writableLength <= bufferBytes) return false;
  raw.destroy();
  return true;
}

type Kept = {
  raw: ServerResponse;
  groups: readonly string[];
  beat: string;
  /** True: nothing was sent since the last heartbeat. */
  stuck: boolean;
  isStillGranted?: () => Promise<boolean>;
};

const COMMENT = ':\n\n';
const BEAT = 'event: beat\ndata: {}\n\n';

function begin(raw: ServerResponse, headers: Record<string, string | string[]>): void {
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // A proxy that buffers whole responses would never pass the stream on.
    'x-accel-buffering': 'no',
  });
  // The first byte changes the state of the client's stream to "open".
  raw.write(`retry: ${Math.round(RETRY_MS * (1 + Math.random()))}\n\n`);
}

function recheck({ raw, isStillGranted }: Kept): void {
  void isStillGranted?.()
    .catch(() => false)
    .then((granted) => granted || raw.end());
}

/** A reader that has read nothing between two heartbeats counts as disconnected. */
function beat(stream: Kept): void {
  const { raw } = stream;
  if (raw.writableLength === 0) {
    stream.stuck = false;
    raw.write(stream.beat);
  } else if (stream.stuck) raw.destroy();
  else stream.stuck = true;
}
