import { Worker } from 'node:worker_threads';
import { DocumentFault } from './document-fault.ts';
import type { Logger } from '../../kernel/log.ts';
import { ownProgram } from '../../kernel/own-files.ts';
import type { Answers, Done, Task } from './thread-messages.ts';

/**
 * A separate thread reads the files of strangers, one after another. Hours of work, gigabytes of memory or a fault of a
 * parser end only this thread and fail only the current file. The thread starts with the first file and ends after some
 * time without files, so an idle node needs no memory for it. Organizations take turns.
 */
export type ReadFiles = {
  read<Kind extends Task['kind']>(orgId: string, task: Task & { kind: Kind }): Promise<Answers[Kind]>;
  stop(): Promise<void>;
};

export type ReadFilesOptions = {
  log: Logger;
  startThread?: () => Worker;
  limitMs?: number;
  maxMemory?: number;
  idleMs?: number;
};

/** The error for a file when too many files wait. The caller may try again later. */
export class FilesBusy extends Error {}

type Job = { task: Task; resolve(answer: Answers[keyof Answers]): void; reject(error: Error): void };

const LIMIT_MS = 20_000;
/**
 * The limit is far below the heap limit at which V8 may end the whole process (docs/adr/0204-knowledge-in-a-thread.md).
 */
const MAX_MEMORY_BYTES = 320 * 1024 * 1024;
const MAX_HEAP_MB = 1_024;
const WATCH_MS = 25;
const IDLE_MS = 10_000;
/** The limits for waiting files, of one organization and in total. */
const MAX_OF_ORGANIZATION = 50;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
/** Uploads have at most 10 MB, so one file of each organization always fits into its part. */
const MAX_BYTES_OF_ORGANIZATION = MAX_WAITING_BYTES / 4;

export function createReadFiles({
  log,
  startThread = start,
  limitMs = LIMIT_MS,
  maxMemory = MAX_MEMORY_BYTES,
  idleMs = IDLE_MS,
}: ReadFilesOptions): ReadFiles {
  const queue = createFileQueue();
  let thread: Worker | null = null;
  let current: Job | null = null;
  let idle: NodeJS.Timeout | undefined;
  let stopped = false;

  function next(): void {
    if (current !== null) return;
    const job = queue.take();
    if (job === null) return rest();
    clearTimeout(idle);
    work(job);
  }

  function work(job: Job): void {
    current = job;
    const worker = (thread ??= open());
    const end = guard(worker, limitMs, maxMemory, (why) => lose(worker, why));
    job.resolve = after(end, job.resolve);
    job.reject = after(end, job.reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(job.task);
  }

  function open(): Worker {
    const opened = startThread();
    opened.unref();
    // The output of a library about a file must not reach the server's log.
    opened.stdout.resume();
    opened.stderr.resume();
    opened.on('message', (done: Done) => onMessage(opened, done));
    opened.on('error', (error) => log.warn({ err: error }, 'the thread of documents failed'));
    opened.on('exit', () => lose(opened, tooLarge()));
    return opened;
  }

  function onMessage(from: Worker, done: Done): void {
    const job = current;
    if (from !== thread || job === null) return;
    current = null;
    if ('ok' in done) job.resolve(done.ok);
    else job.reject(faultOf(done, log));
    next();
  }

  /** Ends a thread and fails the file that the thread was reading. */
  function lose(lost: Worker, why: Error): void {
    if (lost !== thread) return;
    thread = null;
    void lost.terminate();
    const job = current;
    current = null;
    job?.reject(why);
    next();
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      const resting = thread;
      thread = null;
      void resting?.terminate();
    }, idleMs);
    idle.unref();
  }

  return {
    read: <Kind extends Task['kind']>(orgId: string, task: Task & { kind: Kind }) =>
      new Promise<Answers[Kind]>((resolve, reject) => {
        // The type of the response depends on the type of the task.
        const job: Job = { task, resolve: (answer) => resolve(answer as Answers[Kind]), reject };
        if (stopped || !queue.add(orgId, job)) reject(new FilesBusy('Too many files wait to be read.'));
        else next();
      }),
    stop: async () => {
      stopped = true;
      clearTimeout(idle);
      for (const job of queue.empty()) job.reject(new FilesBusy('The server is stopping.'));
      const stopping = thread;
      if (stopping) lose(stopping, new FilesBusy('The server is stopping.'));
      await stopping?.terminate();
    },
  };
}

/** Ends a thread that works too long on one file or needs too much memory. Returns a function that ends the guard. */
function guard(worker: Worker, limitMs: number, maxMemory: number, lose: (why: Error) => void): () => void {
  const limit = setTimeout(() => lose(tooLong()), limitMs);
  const look = async (): Promise<void> => {
    const used = await worker.getHeapStatistics().catch(() => null);
    if (used && used.used_heap_size + used.external_memory > maxMemory) lose(tooLarge());
  };
  const watch = setInterval(() => void look(), WATCH_MS);
  return () => {
    clearTimeout(limit);
    clearInterval(watch);
  };
}

function faultOf(done: Exclude<Done, { ok: unknown }>, log: Logger): DocumentFault {
  if ('fault' in done) return new DocumentFault(done.fault.code, done.fault.detail);
  // An unexplained error of a parser counts as a fault of the file.
  log.warn({ reason: done.error }, 'a file could not be read');
  return new DocumentFault('broken', 'The file is damaged and cannot be read.');
}

/** The queue of files that wait. Organizations take turns. */
function createFileQueue() {
  /** The waiting files by organization. The first organization is next. */
  const queues = new Map<string, Job[]>();
  let bytes = 0;
  return {
    /** Returns false if too many files wait. */
    add: (orgId: string, job: Job): boolean => {
      const queue = queues.get(orgId) ?? [];
      const size = bytesOf(job.task);
      const ofOrganization = queue.reduce((sum, { task }) => sum + bytesOf(task), size);
      if (queue.length >= MAX_OF_ORGANIZATION || ofOrganization > MAX_BYTES_OF_ORGANIZATION) return false;
      if (bytes + size > MAX_WAITING_BYTES) return false;
      queues.set(orgId, [...queue, job]);
      bytes += size;
      return true;
    },
    take: (): Job | null => {
      const entry = queues.entries().next();
      if (entry.done) return null;
      const [orgId, [job, ...others]] = entry.value;
      queues.delete(orgId);
      if (others.length > 0) queues.set(orgId, others);
      bytes -= bytesOf(job!.task);
      return job!;
    },
    empty: (): Job[] => {
      const jobs = [...queues.values()].flat();
      queues.clear();
      return jobs;
    },
  };
}

const after =
  <Value>(first: () => void, then: (value: Value) => void) =>
  (value: Value): void => {
    first();
    then(value);
  };

const bytesOf = (task: Task): number => ('bytes' in task ? task.bytes.byteLength : task.text.length);

const tooLong = (): DocumentFault =>
  new DocumentFault('too_complex', 'The file takes too long to read. Split it, or save it in a simpler form.');
const tooLarge = (): DocumentFault =>
  new DocumentFault('too_complex', 'The file needs too much memory to read. Split it, or save it in a simpler form.');

/** The thread needs no environment variables, so it gets no secrets from them. */
const start = (): Worker =>
  new Worker(ownProgram('src/engine/documents/thread'), {
    env: {},
    name: 'documents',
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
