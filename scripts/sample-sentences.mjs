/**
 * Prints random sentences of the repository, to measure how many need a second reading. Call it with `node
 * scripts/sample-sentences.mjs [--kind KIND] [--count N] [--seed N] [--under FOLDER]`. The same seed prints the same
 * sentences while the texts are the same. Each printed line begins with the file of the sentence.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { trackedFiles } from './tracked-files.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const SHORTEST_WORDS = 4;

/** The files and the parser for each kind of text. */
const KINDS = {
  comments: { files: /\.(ts|tsx|mjs|mts|css)$/, read: commentsOf },
  docs: { files: /^(?!CHANGELOG).*\.md$/, read: paragraphsOf },
  screens: { files: /^(dashboard|widget)\/.*texts.*\.ts$/, read: stringsOf },
  errors: { files: /^(contract\/problems|cli\/.*|src\/.*|sdk\/src\/.*)\.ts$/, read: stringsOf },
  tests: { files: /\.test\.ts$/, read: testNamesOf },
};

const { values: options } = parseArgs({
  options: {
    kind: { type: 'string' },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    under: { type: 'string', default: '.' },
    help: { type: 'boolean', short: 'h' },
  },
});
const kinds = options.kind ? [options.kind] : Object.keys(KINDS);
if (options.help || kinds.some((kind) => !(kind in KINDS)) || !(Number(options.count) > 0)) {
  console.error(
    `Usage: node scripts/sample-sentences.mjs [--kind ${Object.keys(KINDS).join('|')}] [--count N] [--seed N] [--under FOLDER]`,
  );
  process.exit(options.help ? 0 : 1);
}

const files = trackedFiles(ROOT, options.under);
for (const kind of kinds) {
  const sentences = sentencesOf(kind);
  console.log(`${kind}: ${Math.min(sentences.length, Number(options.count))} of ${sentences.length}`);
  for (const { file, text } of sample(sentences)) console.log(`  ${file}: ${text}`);
}

function sentencesOf(kind) {
  const { files: pattern, read } = KINDS[kind];
  return files
    .filter((file) => pattern.test(file) && (kind === 'tests') === file.endsWith('.test.ts'))
    .flatMap((file) => {
      const texts = read(readFileSync(path.join(ROOT, file), 'utf8')).flatMap((text) => split(text, kind));
      return texts.map((text) => ({ file, text }));
    });
}

/** Test names have no full stop, but other texts are divided at the end of each sentence. */
function split(text, kind) {
  const parts = kind === 'tests' ? [text] : text.split(/(?<=[.!?:])\s+(?=[A-Z"`])/);
  return parts
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter((part) => part.split(' ').length >= SHORTEST_WORDS && /[a-z]{3}/.test(part));
}

/**
 * Orders the sentences by a hash of seed and text, so that a change of one text does not move other texts. A sentence
 * that a file contains twice counts once.
 */
function sample(sentences) {
  const rank = ({ file, text }) => createHash('sha256').update(`${options.seed}\n${file}\n${text}`).digest('hex');
  const ranked = new Map(sentences.map((one) => [rank(one), one]));
  return [...ranked]
    .map(([hash, one]) => ({ ...one, rank: hash }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Number(options.count));
}

function commentsOf(text) {
  const blocks = [...text.matchAll(/(?<=^|[\s({[,;])\/\*\*?([\s\S]*?)\*\//g)].map(([, body]) =>
    body.replaceAll(/^\s*\*/gm, ' '),
  );
  const lines = [...text.matchAll(/(?:^[ \t]*\/\/.*\n)+/gm)].map(([run]) => run.replaceAll(/^\s*\/\//gm, ' '));
  return [...blocks, ...lines];
}

function paragraphsOf(text) {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '').split(/\n\s*\n|\n(?=\s*(?:\||#+\s|-\s|\d{1,2}\.\s))/);
  return prose
    .flatMap((part) => (part.trim().startsWith('|') ? part.split('|') : [part.replace(/^\s*(#+|-|\d{1,2}\.)\s/, '')]))
    .map((part) => part.replaceAll(/\]\([^)]*\)/g, ']'));
}

/** Finds quoted texts that contain spaces and no Arabic. */
function stringsOf(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const quoted = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)].map(([, plain, template]) => plain ?? template);
  return quoted.filter(
    (one) =>
      /^[A-Z][^\u0600-\u06ff]* [^\u0600-\u06ff]*$/.test(one) &&
      !/^(SELECT|INSERT|UPDATE|WITH|DELETE|SET|DO|BEGIN|ALTER|LOCK|CASE|AND|OR|NOT|FETCH|WHEN|CREATE|DROP|FROM)\b/.test(
        one,
      ),
  );
}

function testNamesOf(text) {
  return [...text.matchAll(/\b(?:test|it)(?:\.\w+(?:\([\s\S]*?\))?)*\(\s*'((?:[^'\\\n]|\\.)*)'/g)].map(
    ([, name]) => name,
  );
}
