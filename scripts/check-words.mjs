/**
 * Finds words and phrases that are hard for readers whose first language is not English, and suggests a plain word.
 * `node scripts/check-words.mjs [FOLDER]` reads every tracked text for people.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { trackedFiles } from './tracked-files.mjs';

const ROOT = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));

/** The member `word` is a part of a regular expression, and `plain` is the suggested word. */
const WORDS = [
  { word: 'who(?:so)?(?:m)?ever', plain: 'the caller, a person who, anyone who' },
  { word: 'anew', plain: 'again, or "create a new …"' },
  { word: '(?:in the )?meanwhile', plain: 'leave it out, or "since then"' },
  { word: '(?:there|here)(?:of|upon|unto)|hitherto|henceforth|heretofore', plain: 'name the thing' },
  { word: 'lest', plain: 'so that … does not' },
  { word: 'nobody', plain: 'no one' },
  { word: 'somebody', plain: 'a person, a member, another person' },
  { word: 'everybody', plain: 'all members, all callers' },
  { word: '(?:is|are|was|were|be) begun', plain: 'starts, started' },
  { word: '(?:is|are|was|were|be) broken off', plain: 'is aborted' },
  { word: 'all the same', plain: 'still, anyway' },
  { word: 'counts? no more', plain: 'stops working, is ignored' },
  { word: 'in (?:its|their|our) hands?', plain: 'has, holds' },
  { word: 'as it should', plain: 'say what failed: "returned an error"' },
  { word: 'from that moment(?: on)?', plain: 'immediately, from then on' },
  { word: 'no sooner|ere long|save for|albeit|whilst|betwixt|amidst', plain: 'the plain conjunction' },
  { word: 'contract, sections? \\d+', plain: 'the numbered list in docs/security.md' },
];

/** The check ignores text that we did not write as prose, such as test data, language tables and generated SQL. */
const NOT_PROSE = [
  /^contract\/fixtures\//,
  /^src\/engine\/knowledge\/(?:evaluation|lexicon)/,
  /^migrations\//,
  /^scripts\/check-words\.mjs$/,
  /^test\/words\.test\.ts$/,
];

/** The pattern requires a space or the end of a clause after the word, so that it does not match names of variables. */
const IN_SENTENCE = '(?=[\\s.,;:!?]|$)(?!\\.\\w|: [A-Z]| [=:])';
const PATTERNS = WORDS.map(({ word, plain }) => ({
  pattern: new RegExp(`\\b(?:${word})\\b${IN_SENTENCE}`, 'gim'),
  plain,
}));

const files = trackedFiles(ROOT, '*.ts', '*.tsx', '*.md', '*.mjs').filter(
  (file) => !NOT_PROSE.some((pattern) => pattern.test(file)),
);

const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function faultsOf(file) {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return PATTERNS.flatMap(({ pattern, plain }) =>
    [...text.matchAll(pattern)]
      .filter(({ 0: found }) => found !== found.toUpperCase())
      .map(({ 0: found, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${file}:${line}: "${found}": write ${plain}.`;
      }),
  );
}
