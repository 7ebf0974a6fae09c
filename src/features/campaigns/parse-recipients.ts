import { RecipientInput } from '../../../contract/campaigns.ts';
import { MAX_JSON_KEYS } from '../../../contract/limits.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { checkRow, readRow } from './add-recipients.ts';
import type { RecipientInputRow } from './recipient-input-row.ts';
import { personOf, suggestColumns } from '../../store/end-users/import-columns.ts';
import { FileFault, findDelimiter, readCsv } from '../../kernel/csv/read-csv.ts';
import { cutText } from '../../../contract/cut-text.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { parseStrictJson } from '../../kernel/strict-json.ts';
import { compileBody } from '../../kernel/validation/validate.ts';

/** Checks one recipient, as step 14 of the order of checks does (docs/security.md). */
const check = compileBody(RecipientInput);

/** The columns of the recipient. All other columns of a person are the same as in an import. */
const OWN = ['ref', 'send_at'];
/**
 * Campaigns do not change tags and blocks of people, so columns with the names `tags` and `blocked` become variables.
 */
const NOT_OURS = new Set(['tags', 'blocked']);
/** A file has one of these columns, because each recipient needs one of these fields. */
const IDENTITIES = ['external_id', 'email', 'phone'];
const NO_IDENTITY =
  'The first row of the file must name its columns, and one of them must be id, email or phone. Add this row.';
const MAX_VARIABLE_NAME = 64;
const HEAD_CHARACTERS = 64 * 1024;

/**
 * Reads a file of recipients row by row. The file is JSON Lines if it begins with `{`, otherwise CSV with a header row.
 */
export async function* parseRecipients(text: string): AsyncGenerator<RecipientInputRow> {
  try {
    yield* text.trimStart().startsWith('{') ? readLines(text) : readTable(text);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    const fault = { pointer: '/file', code: error.code, detail: error.message };
    throw new Refusal('validation_failed', error.message, { errors: [fault] });
  }
}

async function* readLines(text: string): AsyncGenerator<RecipientInputRow> {
  const share = createLoopShare();
  for (let from = 0; from < text.length;) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    const line = text.slice(from, end).trim();
    from = end + 1;
    if (line !== '') yield await share(() => readLine(line));
  }
}

function readLine(line: string): RecipientInputRow {
  const parsed = parseStrictJson(line, MAX_JSON_KEYS, 'line');
  if ('fault' in parsed) return wrong({ pointer: '', code: 'json', detail: parsed.fault });
  return checkRow(readRow(check, parsed.value));
}

const wrong = (fault: Fault): RecipientInputRow => ({ ref: null, errors: [fault] });

async function* readTable(text: string): AsyncGenerator<RecipientInputRow> {
  const delimiter = findDelimiter(text.slice(0, HEAD_CHARACTERS));
  const share = createLoopShare();
  let columns: Columns | null = null;
  for await (const { cells } of readCsv(piecesOf(text), { encoding: 'utf-8', delimiter })) {
    if (columns === null) columns = columnsOf(cells);
    else if (cells.some((cell) => cell.trim() !== '')) {
      const known: Columns = columns;
      yield await share(() => recipientOf(cells, known));
    }
  }
}

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

type Columns = {
  /** The fields of the person, in the same form as in an import. */
  person: (string | null)[];
  /** The names of the recipient's own fields and of variables. */
  other: (string | null)[];
};

function columnsOf(header: readonly string[]): Columns {
  const person = suggestColumns(header).map((field, at) =>
    field === null || NOT_OURS.has(field) || OWN.includes(header[at]!.trim()) ? null : field,
  );
  if (!person.some((field) => field !== null && IDENTITIES.includes(field)))
    throw new FileFault('columns', NO_IDENTITY);
  const other = header.map((name, at) => (person[at] === null ? cutText(name.trim(), MAX_VARIABLE_NAME) : null));
  return { person, other };
}

function recipientOf(cells: readonly string[], { person, other }: Columns): RecipientInputRow {
  const read = personOf(cells, person);
  const named = other.flatMap((name, at): [string, string][] => {
    const cell = cells[at]?.trim() ?? '';
    return name && cell !== '' ? [[name, cell]] : [];
  });
  const own = Object.fromEntries(named.filter(([name]) => OWN.includes(name)));
  if ('errors' in read) return { ref: own['ref'] ?? null, errors: read.errors };
  const variables = Object.fromEntries(named.filter(([name]) => !OWN.includes(name)));
  return checkRow(readRow(check, { end_user: read.person, variables, ...own }));
}
