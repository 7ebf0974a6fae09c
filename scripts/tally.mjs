/**
 * Adds up test counts over one or several runs. Each runner appends a line "N passed, N failed" (", N skipped" may
 * follow) to the file in TALLY_FILE, and a line for each test that someone must look at ("Failed: …"). The last lines
 * repeat these "Failed" lines, and the very last line has the total, even if the setup fails or a runner is killed. An
 * existing TALLY_FILE is continued, so that .ci/run has one total.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NOTHING_RAN = '0 passed, 1 failed\n';
const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

export function openTally() {
  const folder = process.env.TALLY_FILE ? undefined : mkdtempSync(path.join(tmpdir(), 'parley-tally-'));
  const file = process.env.TALLY_FILE ?? path.join(folder, 'tally');
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const found = text();
  process.once('exit', () => {
    if (text() === found) appendFileSync(file, NOTHING_RAN);
    const { passed, failed, skipped } = sum(text());
    for (const line of text().split('\n')) if (line && !COUNTS.test(line)) process.stdout.write(`${line}\n`);
    if (folder) rmSync(folder, { recursive: true, force: true });
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  });
  /** Returns the exit code of a runner. The exit code is not 0 if a test failed or no test ran. */
  async function counted(runner) {
    const before = text();
    const code = await runner({ TALLY_FILE: file });
    if (text() === before) appendFileSync(file, NOTHING_RAN);
    return code === 0 && sum(text().slice(before.length)).failed > 0 ? 1 : code;
  }
  /** Returns the number of failures since the tally was opened. */
  const failed = () => sum(text().slice(found.length)).failed;
  return { counted, failed };
}

function sum(text) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const line of text.split('\n')) {
    const [, passed = 0, failed = 0, skipped = 0] = COUNTS.exec(line) ?? [];
    total.passed += Number(passed);
    total.failed += Number(failed);
    total.skipped += Number(skipped);
  }
  return total;
}
