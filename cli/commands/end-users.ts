import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  IMPORT_DELIMITERS,
  IMPORT_ENCODINGS,
  IMPORT_FIELDS,
  IMPORT_PIECE_BYTES,
  type ImportPreview,
  type ImportRecord,
  MAX_IMPORT_BYTES,
} from '../../contract/dashboard/imports.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import type { Output } from '../output.ts';
import { confirm } from '../prompt.ts';
import { toFile } from '../write-file.ts';
import { examples, setAction } from '../command-action.ts';

type ImportOptions = {
  file: string;
  map?: string;
  dryRun?: boolean;
  encoding?: ImportPreview['encoding'];
  delimiter?: string;
  failedRows?: string;
};

export function addEndUsersCommand(program: Command): void {
  const people = program
    .command('end-users')
    .summary('the people in conversations with your agents')
    .description('End users: list, import from CSV, export and erase them.');

  const list = listing(
    people
      .command('list')
      .description('Lists end users.')
      .option('--text <words>', 'words of the name, or the beginning of an identifier')
      .option('--tag <tag>', 'only end users with this tag'),
  );
  setAction<ListOptions & { text?: string; tag?: string }>(list, async ({ api, out }, _args, { text, tag, ...want }) =>
    out.list(
      await api.list('listEndUsers', want, { query: { text, tag } }),
      [field('id'), field('external_id'), field('name'), field('email'), field('phone'), time('created_at')],
      'No end user yet: ./parley end-users import --file people.csv',
    ),
  );

  setAction(
    people.command('show').description('Shows an end user.').argument('<end-user-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readEndUser', { ids: { end_user_id: id! } })),
  );

  const bring = people
    .command('import')
    .summary('import people from a CSV file')
    .description(
      `Creates or changes end users from a CSV file with a header row. Existing people are matched by external_id, then e-mail, then phone, so the same file can be imported again. Columns are mapped by their names; --map changes that. Fields: ${IMPORT_FIELDS.join(', ')}, attributes.NAME.`,
    )
    .requiredOption('--file <file>', 'the CSV file')
    .option('--map <pairs>', 'column=field, comma-separated; "Notes=" leaves a column out')
    .option('--dry-run', 'show what would happen; change nothing')
    .option('--encoding <name>', IMPORT_ENCODINGS.join(', '))
    .option('--delimiter <sign>', 'one of , ; | tab (default: detected from the header)')
    .option('--failed-rows <file>', 'write the failed rows, with the reason, into this new file');
  setAction<ImportOptions>(bring, ({ api, out }, _args, options) => importFile(api, out, options));
  examples(
    bring,
    'end-users import --file people.csv --dry-run',
    'end-users import --file people.csv --map "Customer no=external_id,Plan=attributes.plan" --failed-rows failed.csv',
  );

  const take = people
    .command('export')
    .description('Exports end users as CSV that can be imported again.')
    .option('--file <file>', 'a new file (default: standard output)')
    .option('--text <words>', 'as for "end-users list"')
    .option('--tag <tag>', 'as for "end-users list"');
  setAction<{ file?: string; text?: string; tag?: string }>(take, async ({ api, out }, _args, { file, text, tag }) => {
    await toFile(file, (write) => api.download('exportEndUsers', { query: { text, tag } }, write));
    if (file !== undefined) out.hint(`Written to ${file}.`);
  });
  examples(take, 'end-users export --file people.csv');

  const erase = people
    .command('erase')
    .description('Erases an end user with all conversations permanently.')
    .argument('<end-user-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(erase, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `End user ${id} with all conversations will be erased permanently.`);
    await api.call('eraseEndUser', { ids: { end_user_id: id! } });
    out.record({ id, erased: true });
  });
}

const POLL_MS = 400;
const ENDED = new Set(['done', 'failed', 'cancelled']);

async function importFile(api: Api, out: Output, options: ImportOptions): Promise<void> {
  // After the import, the rows could no longer be written.
  if (options.failedRows !== undefined && existsSync(options.failedRows))
    throw new Failure('file_unreadable', `${options.failedRows} cannot be written (EEXIST).`);
  const { id } = await upload(api, out, options.file);
  const ids = { import_id: id };
  try {
    const delimiter = delimiterOf(options.delimiter);
    const preview = await api.call('previewImport', { ids, query: { delimiter, encoding: options.encoding } });
    const columns = mapped(preview, options.map);
    const ignored = preview.header.filter((_, index) => columns[index] === null);
    if (ignored.length > 0) out.progress(`Ignored columns: ${ignored.join(', ')}`);
    const settings = { columns, delimiter: preview.delimiter, encoding: preview.encoding };
    await api.call('runImport', { ids, body: { ...settings, dry_run: options.dryRun === true } });
  } catch (error) {
    await discard(api, id);
    throw error;
  }
  const record = await settled(api, out, id);
  if (options.failedRows !== undefined && record.invalid > 0)
    await toFile(options.failedRows, (write) => api.download('exportImportFaults', { ids }, write));
  if (options.dryRun || record.state === 'failed') await discard(api, id);
  if (record.state === 'failed')
    throw new Failure('import_failed', `${record.fault?.detail} (row ${record.fault?.row ?? 'unknown'})`);
  out.record(record);
  if (record.invalid > 0 && options.failedRows === undefined)
    out.hint(`${record.invalid} rows failed; --failed-rows FILE writes them down.`);
}

/** Removes an uploaded file that the server no longer needs, because an organization may store only a few files. */
const discard = async (api: Api, id: string): Promise<void> =>
  void (await api.call('cancelImport', { ids: { import_id: id } }).catch(() => {}));

/** The file is read in pieces, so it is never completely in memory. */
async function upload(api: Api, out: Output, path: string): Promise<ImportRecord> {
  const file = await opened(path);
  try {
    const { size } = await file.stat();
    if (size === 0 || size > MAX_IMPORT_BYTES)
      throw new Failure('file_unreadable', `${path} must have between 1 byte and ${MAX_IMPORT_BYTES >> 20} MiB.`);
    const record = await api.call('createImport', { body: { name: basename(path), bytes: size } });
    try {
      for (let piece = 0; piece * IMPORT_PIECE_BYTES < size; piece++) {
        const bytes = Buffer.alloc(Math.min(IMPORT_PIECE_BYTES, size - piece * IMPORT_PIECE_BYTES));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, piece * IMPORT_PIECE_BYTES);
        if (bytesRead !== bytes.length)
          throw new Failure('file_unreadable', `${path} became shorter during the upload.`);
        await api.call('sendImportPiece', { ids: { import_id: record.id, piece: String(piece) }, body: bytes });
        out.progress(`Sent ${Math.min(size, (piece + 1) * IMPORT_PIECE_BYTES)} of ${size} bytes`);
      }
    } catch (error) {
      await discard(api, record.id);
      throw error;
    }
    return record;
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure('file_unreadable', `${path} cannot be read (${code}).`, { cause: error });
  }
}

async function settled(api: Api, out: Output, id: string): Promise<ImportRecord> {
  for (;;) {
    const record = await api.call('readImport', { ids: { import_id: id } });
    if (ENDED.has(record.state)) return record;
    out.progress(`${record.rows} rows: ${record.created} new, ${record.updated} known, ${record.invalid} failed`);
    await sleep(POLL_MS);
  }
}

function mapped({ header, columns }: ImportPreview, map = ''): (string | null)[] {
  const result = [...columns];
  for (const pair of map === '' ? [] : map.split(',')) {
    const split = pair.lastIndexOf('=');
    const column = header.findIndex((heading) => heading.trim() === pair.slice(0, split).trim());
    if (split < 1 || column === -1)
      throw new Failure(
        'usage_invalid',
        `--map: "${pair}" is not COLUMN=FIELD with a column of: ${header.join(', ')}.`,
      );
    const target = pair.slice(split + 1).trim() || null;
    // An explicit column replaces a column that was only guessed for the same field.
    for (const [index, column] of result.entries()) if (column === target) result[index] = null;
    result[column] = target;
  }
  return result;
}

function delimiterOf(text: string | undefined): ImportPreview['delimiter'] | undefined {
  if (text === undefined) return undefined;
  const sign = text === 'tab' ? '\t' : text;
  const found = IMPORT_DELIMITERS.find((one) => one === sign);
  if (found === undefined) throw new Failure('usage_invalid', '--delimiter must be one of , ; | tab.');
  return found;
}
