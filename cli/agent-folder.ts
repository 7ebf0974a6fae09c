import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import type { AgentDefinition } from '../contract/agents.ts';
import type { SetSuiteBody } from '../contract/dashboard/test-cases.ts';
import type { VariableDeclaration } from '../contract/triggers.ts';
import { Failure } from './failure.ts';
import { readText } from './read-input.ts';
import { parseYaml, readSuiteFile, writeSuite } from './test-case-file.ts';

export type TriggerFile = { name: string; enabled: boolean; variables: VariableDeclaration[] };

/**
 * An agent's folder contains `agent.yaml`, `suite.yaml`, `triggers.yaml` and `documents/`. An agent's folder contains
 * no IDs and no secrets.
 */
export type AgentFolder = {
  name: string;
  definition: AgentDefinition;
  suite: SetSuiteBody;
  triggers: TriggerFile[];
  /** The texts of an agent's documents, by the name of the document. */
  documents: Map<string, string>;
};

const DOCUMENTS = 'documents';
const FILE_ENDING = '.md';
/** Lists the names of documents that are too long for a file name, by file. */
const NAMES = 'names.yaml';

/** The order of a definition's members, which is the same in every pull. */
const ORDER = ['provider', 'model', 'instructions', 'opening', 'steps', 'result', 'rules', 'tools'];
const placeOf = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
const inOrder = (definition: AgentDefinition): AgentDefinition =>
  Object.fromEntries(
    Object.entries(definition).toSorted(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)),
  ) as AgentDefinition;

const yaml = (value: unknown): string => stringify(value, { lineWidth: 120 });

/** Removes files of deleted documents. Files in the folder that are not documents of the agent stay. */
export async function writeFolder(at: string, folder: AgentFolder): Promise<void> {
  const { name, definition, suite, triggers, documents } = folder;
  const below = path.join(at, DOCUMENTS);
  try {
    await mkdir(below, { recursive: true });
    await writeFile(path.join(at, 'agent.yaml'), yaml({ name, definition: inOrder(definition) }));
    await writeFile(path.join(at, 'suite.yaml'), writeSuite({ required: false, ...suite }));
    await writeFile(path.join(at, 'triggers.yaml'), yaml({ triggers }));
    const titles = new Map([...documents.keys()].map((title) => [fileOf(title), title]));
    const files = new Map([...titles].map(([file, title]) => [file, documents.get(title)!]));
    const long = [...titles].filter(([file]) => isShort(file));
    if (long.length > 0) files.set(NAMES, yaml(Object.fromEntries(long)));
    for (const [file, text] of files) await writeFile(path.join(below, file), text);
    for (const file of await readdir(below))
      if ((file.endsWith(FILE_ENDING) || file === NAMES) && !files.has(file)) await rm(path.join(below, file));
  } catch (error) {
    throw unusable(at, error);
  }
}

export async function readFolder(at: string): Promise<AgentFolder> {
  const agent = await readYaml(path.join(at, 'agent.yaml'));
  if (typeof agent['name'] !== 'string' || typeof agent['definition'] !== 'object' || agent['definition'] === null)
    throw new Failure('usage_invalid', `${path.join(at, 'agent.yaml')} needs "name" and "definition".`);
  const triggers = await readYaml(path.join(at, 'triggers.yaml'), { triggers: [] });
  const listed: unknown = triggers['triggers'] ?? [];
  if (!Array.isArray(listed) || listed.some((one: unknown) => typeof Object(one).name !== 'string'))
    throw new Failure('usage_invalid', `${path.join(at, 'triggers.yaml')} needs a list "triggers" with names.`);
  const suite = await readSuiteFile(path.join(at, 'suite.yaml')).catch((error: unknown) => {
    if (error instanceof Failure && isMissing(error.cause)) return { cases: [] };
    throw error;
  });
  return {
    name: agent['name'],
    definition: agent['definition'],
    suite,
    triggers: listed as TriggerFile[],
    documents: await readDocuments(path.join(at, DOCUMENTS)),
  };
}

async function readDocuments(below: string): Promise<Map<string, string>> {
  try {
    const files = (await readdir(below)).filter((file) => file.endsWith(FILE_ENDING)).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(path.join(below, file), 'utf8')));
    const names = files.some(isShort) ? await readYaml(path.join(below, NAMES)) : {};
    return new Map(files.map((file, at) => [nameOf(file, below, names), texts[at]!]));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isMissing(error)) return new Map();
    throw unusable(below, error);
  }
}

async function readYaml(file: string, absent?: Record<string, unknown>): Promise<Record<string, unknown>> {
  try {
    return parseYaml(await readText(file), file);
  } catch (error) {
    if (absent && error instanceof Failure && isMissing(error.cause)) return absent;
    throw error;
  }
}

/** A file name has at most 255 bytes. The name of a document has up to 200 characters of up to four bytes. */
const MAX_FILE_BYTES = 255;
const UNSAFE = /[%/\\:*?"<>|]|[^ -\u{10ffff}]|^\.|[. ]$/gu;
/** An encoded character has two digits, so a name with this mark is not an encoded name. */
const SHORT = /%-[0-9a-f]{16}\.md$/;
const isShort = (file: string): boolean => SHORT.test(file);

/**
 * Returns a file name that every file system accepts. The name of the document can be restored from the file name. A
 * name that is too long is cut and gets a hash.
 */
function fileOf(title: string): string {
  const encoded = title.replaceAll(UNSAFE, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (Buffer.byteLength(encoded + FILE_ENDING) <= MAX_FILE_BYTES) return encoded + FILE_ENDING;
  const hash = createHash('sha256').update(title).digest('hex').slice(0, 16);
  return `${Array.from(encoded).slice(0, SHORT_CHARACTERS).join('')}%-${hash}${FILE_ENDING}`;
}
/** So many characters of four bytes fit beside the hash. */
const SHORT_CHARACTERS = 50;

function nameOf(file: string, below: string, names: Record<string, unknown>): string {
  if (!isShort(file)) return titleOf(file);
  const name = names[file];
  if (typeof name !== 'string')
    throw new Failure('usage_invalid', `${path.join(below, NAMES)} needs the name of the document for "${file}".`);
  return name;
}

const titleOf = (file: string): string =>
  file
    .slice(0, -FILE_ENDING.length)
    .replaceAll(/%([0-9a-f]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
const unusable = (at: string, error: unknown): Failure =>
  new Failure('file_unreadable', `${at} cannot be used (${(error as NodeJS.ErrnoException).code}).`, { cause: error });
