import { Type, type Static } from 'typebox';
import { Moment, Nullable, PageQuery, closed } from './shapes.ts';

/**
 * Imports end users from a CSV file. The file arrives in pieces. A worker then reads it in any number of dry runs,
 * followed by one real run. The page docs/adr/0202-imports-in-pieces.md gives the reasons.
 */
export const MAX_IMPORT_BYTES = 200 * 1024 * 1024;
export const IMPORT_PIECE_BYTES = 1024 * 1024;
export const MAX_IMPORT_PIECES = Math.ceil(MAX_IMPORT_BYTES / IMPORT_PIECE_BYTES);
export const MAX_IMPORT_COLUMNS = 200;
/** One organization has at most this many files that wait at the same time, because they use space in the database. */
export const MAX_OPEN_IMPORTS = 5;
/** Files that are not imported, and failed rows that are not downloaded, are removed after this time. */
export const IMPORT_RETENTION_HOURS = 24;
export const FAULT_RETENTION_DAYS = 7;

export const IMPORT_ENCODINGS = ['utf-8', 'utf-16le', 'windows-1256', 'windows-1252'] as const;
export type ImportEncoding = (typeof IMPORT_ENCODINGS)[number];
export const IMPORT_DELIMITERS = [',', ';', '\t', '|'] as const;

/** The possible targets of a column, in addition to `attributes.<name>`. */
export const IMPORT_FIELDS = [
  'external_id',
  'name',
  'email',
  'phone',
  'locale',
  'time_zone',
  'tags',
  'blocked',
] as const;
export type ImportField = (typeof IMPORT_FIELDS)[number];

const Target = Type.String({
  pattern: `^(${IMPORT_FIELDS.join('|')}|attributes\\.[^\\u0000-\\u001f]{1,64})$`,
  description: 'A field of the person, or attributes.NAME.',
});

export const ImportSettings = Type.Object(
  {
    /** The list has one entry per column of the file, in order. Null: the column is skipped. */
    columns: Type.Array(Nullable(Target), { minItems: 1, maxItems: MAX_IMPORT_COLUMNS }),
    delimiter: Type.Enum(IMPORT_DELIMITERS),
    encoding: Type.Enum(IMPORT_ENCODINGS),
  },
  { ...closed, title: 'ImportSettings' },
);
export type ImportSettings = Static<typeof ImportSettings>;

export const IMPORT_STATES = ['uploading', 'queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

const Fault = Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() });

export const ImportRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    bytes: Type.Integer(),
    /** The number of pieces that were received. */
    pieces: Type.Integer(),
    state: Type.Enum(IMPORT_STATES),
    /** True: the current or last run is a dry run. */
    dry_run: Type.Boolean(),
    settings: Nullable(ImportSettings),
    bytes_done: Type.Integer(),
    rows: Type.Integer(),
    created: Type.Integer(),
    updated: Type.Integer(),
    invalid: Type.Integer(),
    /** The reason why the whole file could not be read. */
    fault: Nullable(Type.Object({ code: Type.String(), detail: Type.String(), row: Nullable(Type.Integer()) })),
    /** False: the file was removed. After the file was removed, the import cannot run again. */
    file_kept: Type.Boolean(),
    created_at: Moment,
    updated_at: Moment,
    finished_at: Nullable(Moment),
  },
  { title: 'Import' },
);
export type ImportRecord = Static<typeof ImportRecord>;

export const CreateImportBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    bytes: Type.Integer({ minimum: 1, maximum: MAX_IMPORT_BYTES }),
  },
  closed,
);

export const PreviewQuery = Type.Object(
  {
    delimiter: Type.Optional(Type.Enum(IMPORT_DELIMITERS)),
    encoding: Type.Optional(Type.Enum(IMPORT_ENCODINGS)),
  },
  closed,
);

/** The start of a file, read with the given or detected settings. */
export const ImportPreview = Type.Object(
  {
    delimiter: Type.Enum(IMPORT_DELIMITERS),
    encoding: Type.Enum(IMPORT_ENCODINGS),
    header: Type.Array(Type.String()),
    rows: Type.Array(Type.Array(Type.String())),
    /** The likely target of each column, guessed from its name. */
    columns: Type.Array(Nullable(Type.String())),
  },
  { title: 'ImportPreview' },
);
export type ImportPreview = Static<typeof ImportPreview>;

export const RunImportBody = Type.Object({ ...ImportSettings.properties, dry_run: Type.Boolean() }, closed);
export type RunImportBody = Static<typeof RunImportBody>;

export const ImportFault = Type.Object(
  {
    /** Rows have the numbers of spreadsheets, in which the header is row 1. */
    row: Type.Integer(),
    cells: Type.Array(Type.String()),
    faults: Type.Array(Fault),
    created_at: Moment,
  },
  { title: 'ImportFault' },
);
export type ImportFault = Static<typeof ImportFault>;

export const ImportListQuery = PageQuery({});
