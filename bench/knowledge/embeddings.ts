import { KnowledgeIndex } from '../../src/engine/knowledge/build-knowledge.ts';
import { splitDocument } from '../../test/build-knowledge.ts';
import { runToEnd } from '../../src/engine/knowledge/pausable-work.ts';
import { VectorTable } from '../../src/engine/knowledge/vector-table.ts';

/**
 * Measures the time of the exact embedding search and the memory of its vectors, with 50,000 passages. `node
 * bench/knowledge/embeddings.ts [--passages 50000] [--rounds 40]`. The vectors are random, because only memory and the
 * processor time of this thread are measured.
 */
const passages = numberOf('--passages', 50_000);
const rounds = numberOf('--rounds', 40);

const WORDS = 'garden window room door table lamp price hour day ticket boat train coffee bread river stone'.split(' ');
let seed = 7;
const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const word = (): string => `${WORDS[Math.floor(chance() * WORDS.length)]}${Math.floor(chance() * 400)}`;
const sentence = (): string => `${Array.from({ length: 14 }, word).join(' ')}.`;

const index = new KnowledgeIndex();
for (let document = 0; index.size < passages; document++) {
  const text = Array.from({ length: 1_000 }, sentence).join('\n\n');
  for (const passage of splitDocument({ id: `doc ${document}`, name: `Guide ${document}`, text })) index.add(passage);
}
runToEnd(index.close());
console.log(`${index.size} passages, index without vectors: ${mega(index.bytes)} MB`);

const questions = Array.from({ length: rounds }, () => Array.from({ length: 8 }, word).join(' '));
report('by words alone', (at) => runToEnd(index.gather(questions[at]!, '', 24_000)));

for (const dimensions of [768, 1_536, 3_072]) {
  const before = process.memoryUsage().arrayBuffers;
  const vectors = new VectorTable(index.size, dimensions);
  const grown = process.memoryUsage().arrayBuffers - before;
  const one = new Int8Array(dimensions);
  const fill = (): Int8Array => one.map(() => Math.floor(chance() * 255) - 127);
  for (let at = 0; at < index.size; at++) vectors.set(at, fill());
  console.log(`${dimensions} dimensions: ${mega(vectors.bytes)} MB counted, ${mega(grown)} MB seen`);
  const asked = Array.from({ length: rounds }, () => fill().slice());
  report('  exact search', (at) => runToEnd(vectors.search(asked[at]!)));
  report('  by words and by meaning', (at) =>
    runToEnd(index.gatherByMeaning(questions[at]!, '', 24_000, { vector: asked[at]!, vectors })),
  );
  let longest = 0;
  const steps = vectors.search(asked[0]!);
  for (let isDone = false; !isDone;) {
    const since = performance.now();
    isDone = steps.next().done === true;
    longest = Math.max(longest, performance.now() - since);
  }
  console.log(`  longest step ${longest.toFixed(1)} ms`);
}

function report(name: string, work: (round: number) => unknown): void {
  work(0);
  const times = Array.from({ length: rounds }, (_, at) => {
    const before = process.threadCpuUsage();
    work(at);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  }).toSorted((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(share * (times.length - 1))]!.toFixed(1);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

function mega(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

function numberOf(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}
