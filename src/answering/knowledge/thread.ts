import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { createAgentIndexes } from './agent-indexes.ts';
import { SLICES, type ThreadData, type ToThread, UNDER_WAY } from './messages.ts';

/**
 * This thread builds and searches knowledge. The file `ask-knowledge.ts` starts the thread and sends the questions. A
 * thread that exceeds its heap limit may crash the whole process. This thread checks its heap between two slices of
 * work and exits long before the limit.
 */
const port = parentPort!;
const { beacon } = workerData as ThreadData;

const MAX_KEPT_BYTES = 512 * 1024 * 1024;
const memory = Math.min(process.constrainedMemory() || Infinity, totalmem());
const { heap_size_limit: heapLimit } = getHeapStatistics();

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const library = createAgentIndexes({
  // The memory is enough for the indexes of about eighty megabytes of documents, or of fewer on a small machine.
  maxBytes: Math.min(MAX_KEPT_BYTES, memory / 8),
  post: (message) => port.postMessage(message),
  meter: {
    clock: () => performance.now(),
    cpu,
    onJob: (job) => {
      // In a thread, this call ends only the thread, not the process. The shared memory still contains the number of
      // the current job.
      if (job === 0 && getHeapStatistics().used_heap_size > heapLimit * 0.75) process.exit(1);
      Atomics.store(beacon, UNDER_WAY, job);
      Atomics.add(beacon, SLICES, 1);
    },
  },
});

let busy = false;

// Messages arrive after each slice, so the next slice includes a new question.
const goOn = (): void => {
  busy = library.work();
  if (busy) setImmediate(goOn);
};

port.on('message', (message: ToThread) => {
  library.take(message);
  if (busy) return;
  busy = true;
  setImmediate(goOn);
});
