/**
 * Checks that folders in `src/<room>/` and below `dashboard/src/pages/` are named by nouns of docs/glossary.md. The
 * command `node scripts/check-folders.mjs [FOLDER]` checks the tracked files.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { trackedFiles } from './tracked-files.mjs';

const ROOT = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const GLOSSARY = 'docs/glossary.md';

const nouns = nounsOf(readFileSync(path.join(ROOT, GLOSSARY), 'utf8'));
const faults = [...foldersOf(trackedFiles(ROOT, 'src', 'dashboard/src/pages'))].filter(
  (folder) => !nouns.has(path.posix.basename(folder)),
);
for (const folder of faults) console.error(`${folder}: "${path.posix.basename(folder)}" is not a noun of ${GLOSSARY}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function foldersOf(files) {
  const folders = new Set();
  for (const file of files) {
    const parts = file.split('/').slice(0, -1);
    if (parts[0] === 'src' && parts.length >= 3) folders.add(parts.slice(0, 3).join('/'));
    if (parts[0] === 'dashboard')
      for (let end = 4; end <= parts.length; end++) folders.add(parts.slice(0, end).join('/'));
  }
  return folders;
}

/**
 * Returns each noun in singular and plural, and its names in the column `Code`, of every table that has both columns.
 */
function nounsOf(text) {
  const names = new Set();
  let code = null;
  for (const line of text.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (!line.startsWith('|')) code = null;
    else if (cells[1] === 'Noun') code = cells.indexOf('Code');
    else if (code !== null && !cells[1].startsWith('---')) {
      const noun = cells[1].toLowerCase().replaceAll(' ', '-');
      for (const name of [noun, `${noun}s`]) names.add(name);
      for (const [, name] of cells[code].matchAll(/`([a-z][a-z-]*)`/g)) names.add(name);
    }
  }
  return names;
}
