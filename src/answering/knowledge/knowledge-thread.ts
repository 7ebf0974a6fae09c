import { Worker } from 'node:worker_threads';
import type { Logger } from '../../kernel/log.ts';
import { ownProgram } from '../../kernel/own-files.ts';
import { type FromThread, SLICES, type ThreadData, type ToThread, UNDER_WAY } from './messages.ts';

export type KnowledgeThreadOptions = {
  log: Logger;
  startThread?: ((data: ThreadData) => Worker) | undefined;
  stuckMs: number;
  /** The function `reply` sends to the thread that sent the message. If this thread has ended, the message is lost. */
  onMessage(message: FromThread, reply: (answer: ToThread) => void): void;
  /**
   * This function is called after the thread has ended, by itself or because it was stopped. `underWay`: the job on
   * which the thread was working.
   */
  onLost(underWay: number): void;
};

/**
 * The thread starts with the first message. A thread that hangs is ended, and the next message starts another thread.
 */
export function createKnowledgeThread({
  log,
  startThread = start,
  stuckMs,
  onMessage,
  onLost,
}: KnowledgeThreadOptions) {
  const beacon = new Int32Array(new SharedArrayBuffer(8));
  let thread: Worker | null = null;
  let watch: NodeJS.Timeout | undefined;

  function post(message: ToThread): void {
    thread ??= open();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(message);
  }

  function open(): Worker {
    beacon.fill(0);
    const opened = startThread({ beacon });
    opened.unref();
    const reply = (answer: ToThread): void => {
      if (opened === thread) post(answer);
    };
    opened.on('message', (message: FromThread) => {
      if (opened === thread) onMessage(message, reply);
    });
    // The exit event follows an error.
    opened.on('error', (error) => log.error({ err: error }, 'the thread of the knowledge failed'));
    opened.on('exit', () => {
      if (opened !== thread) return;
      thread = null;
      clearInterval(watch);
      onLost(Atomics.load(beacon, UNDER_WAY));
    });
    watch = setInterval(endIfStuck(opened), stuckMs / 5);
    watch.unref();
    return opened;
  }

  function endIfStuck(watched: Worker): () => void {
    let [slices, since] = [0, performance.now()];
    return () => {
      const moved = Atomics.load(beacon, SLICES) !== slices || Atomics.load(beacon, UNDER_WAY) === 0;
      if (moved) [slices, since] = [Atomics.load(beacon, SLICES), performance.now()];
      else if (performance.now() - since > stuckMs) void watched.terminate();
    };
  }

  return { post, end: async () => void (await thread?.terminate()) };
}

/** The heap is four times the size of the cached indexes, because garbage and builds in progress also need memory. */
const MAX_HEAP_MB = 2_048;

/** The thread needs no environment variables, so it gets no secrets from them. */
const start = (workerData: ThreadData): Worker =>
  new Worker(ownProgram('src/answering/knowledge/thread'), {
    workerData,
    env: {},
    name: 'knowledge',
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
