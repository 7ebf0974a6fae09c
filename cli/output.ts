import { styleText } from 'node:util';
import type { Page, Row } from './api.ts';
import {
  EXIT_FAILED,
  EXIT_NOT_RECORDED,
  EXIT_TESTS_FAILED,
  EXIT_TOKEN_REFUSED,
  EXIT_TOKEN_TOO_NARROW,
  Failure,
  Refused,
} from './failure.ts';
import { type Column, facts, printable, table } from './table.ts';

/** Results go to stdout, as JSON if the output is piped or --json is given, and otherwise as text. */
export type Output = {
  readonly json: boolean;
  /** Prints a record as `text` on a terminal, or as one field per line. */
  record(record: Row, text?: () => string): void;
  list(page: Page, columns: readonly Column<Row>[], whenEmpty: string): void;
  /** Prints one of many records that arrive one by one, as a line of text or JSON. */
  line(record: Row, text: () => string): void;
  /** Prints a dim line for people, which the JSON output never contains. */
  hint(line: string): void;
  /** Prints a progress line on stderr, so that it never mixes with the result. */
  progress(line: string): void;
};

export function createOutput(json: boolean): Output {
  return {
    json,
    record(record, text) {
      say(json ? JSON.stringify(record, null, 2) : (text?.() ?? facts(record, dim)));
    },
    list(page, columns, whenEmpty) {
      if (json) return say(JSON.stringify(page.next_cursor === null ? { data: page.data } : page, null, 2));
      if (page.data.length === 0) return say(dim(whenEmpty));
      say(table(page.data, columns, dim));
      if (page.next_cursor !== null) say(dim(`The first ${page.data.length}; --all shows the rest.`));
    },
    line(record, text) {
      say(json ? JSON.stringify(record) : text());
    },
    hint(line) {
      if (!json) say(dim(printable(line)));
    },
    progress(line) {
      if (process.stderr.isTTY)
        process.stderr.write(`${styleText('dim', printable(line), { stream: process.stderr })}\n`);
    },
  };
}

let stopsWithReader = false;
/** Stops a command that runs without end or costs money when the reader of its output has closed the pipe. */
export const endWithReader = (): void => {
  stopsWithReader = true;
};
export const endsWithReader = (): boolean => stopsWithReader;

const dim = (text: string): string => styleText('dim', text, { stream: process.stdout });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * Prints the failure of a command, in a fixed format for scripts or as sentences for people, and returns the exit code.
 */
export function reportFailure(error: unknown, json: boolean): number {
  const known = error instanceof Failure || error instanceof Refused;
  const code = known ? error.code : 'internal_error';
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  } else {
    const name = styleText('red', 'Error:', { stream: process.stderr });
    const which = styleText('dim', `(${code})`, { stream: process.stderr });
    process.stderr.write(`${name} ${printable(message)} ${which}\n`);
    if (!known && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
  }
  return exitCodeOf(code);
}

/** The exit code tells a CI job whether a token must be renewed or needs more verbs. */
function exitCodeOf(code: string): number {
  if (code === 'tests_failed' || code === 'replay_differs') return EXIT_TESTS_FAILED;
  if (/^token_(?:invalid|expired|revoked)$/.test(code)) return EXIT_TOKEN_REFUSED;
  if (code === 'answers_not_recorded') return EXIT_NOT_RECORDED;
  return /^token_(?:too_narrow|not_accepted)$/.test(code) ? EXIT_TOKEN_TOO_NARROW : EXIT_FAILED;
}
