/**
 * The check requires that every repository path in backticks, every relative link in a *.md file and every document
 * that a comment names exists. A path of this repository begins with a file or folder in the root of the repository or
 * of the layout. The check ignores paths with `*`, `…` or `<…>`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const SKIPPED = new Set(['node_modules', 'dist', 'data', '.git', '.parley', 'coverage', 'test-results']);
/** The folders of the layout, with which a path of this repository can begin. */
const ROOMS = [
  'src',
  'contract',
  'migrations',
  'dashboard',
  'widget',
  'sdk',
  'cli',
  'bench',
  'deploy',
  'test',
  'docs',
  'scripts',
  '.ci',
];

const DECISIONS = readdirSync(path.join(ROOT, 'docs', 'adr')).map((name) => `docs/adr/${name.slice(0, 4)}`);

const faults = [
  ...files(ROOT, ['.md']).flatMap((file) => [...pathFaults(file), ...linkFaults(file)]),
  ...files(ROOT, ['.ts', '.tsx', '.mjs', '.sql']).flatMap(mentionFaults),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function files(folder, endings) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return files(file, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [file] : [];
  });
}

/** Finds missing documents that comments mention. A comment may mention an ADR by its number only. */
function mentionFaults(file) {
  return [...readFileSync(file, 'utf8').matchAll(/\bdocs\/(?:adr\/\d{4}(?:[\w-]*\.md)?|[\w-]+\.md)/g)]
    .map(([text]) => text)
    .filter((text) => (text.endsWith('.md') ? !existsSync(path.join(ROOT, text)) : !DECISIONS.includes(text)))
    .map((text) => `${path.relative(ROOT, file)}: names ${text}, which does not exist.`);
}

function pathFaults(file) {
  return (
    [...readFileSync(file, 'utf8').matchAll(/`([^`\n]+)`/g)]
      .map(([, text]) => text.replace(/(:\d+)+$/, '').replace(/\/$/, ''))
      .filter((text) => ROOMS.includes(text.split('/')[0]) && text.includes('/') && !/[\s*…<>{}$|]/.test(text))
      // Build output exists only after a build.
      .filter((text) => !/\/dist(\/|$)/.test(text))
      .filter((text) => !existsSync(path.join(ROOT, text)))
      .map((text) => `${path.relative(ROOT, file)}: names \`${text}\`, which does not exist.`)
  );
}

function linkFaults(file) {
  const text = readFileSync(file, 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^([a-z]+:|#)/i.test(target))
    .flatMap((target) => {
      const [name, anchor] = decodeURI(target).split('#');
      const there = path.resolve(path.dirname(file), name);
      if (!existsSync(there)) return [`${path.relative(ROOT, file)}: links to ${target}, which does not exist.`];
      if (!anchor || !statSync(there).isFile() || !there.endsWith('.md')) return [];
      return anchors(there).includes(anchor)
        ? []
        : [`${path.relative(ROOT, file)}: links to ${target}, whose heading does not exist.`];
    });
}

/** Returns the anchors that GitHub creates for headings. */
function anchors(file) {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ +(.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
