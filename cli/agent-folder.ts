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
    const files = new Map([...documents].map(([title, text]) => [fileOf(title), text]));
    for (const [file, text] of files) await writeFile(path.join(below, file), text);
    for (const file of await readdir(below))
      if (file.endsWith(FILE_ENDING) && !files.has(file)) await rm(path.join(below, file));
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
    return new Map(files.map((file, at) => [titleOf(file), texts[at]!]));
  } catch (error) {
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

/** Returns a file name that every file system accepts, and from which the name of the document can be restored. */
const UNSAFE = /[%/\\:*?"<>|]|[^ -\u{10ffff}]|^\.|[. ]$/gu;
const fileOf = (title: string): string =>
  title.replaceAll(UNSAFE, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`) + FILE_ENDING;
const titleOf = (file: string): string =>
  file
    .slice(0, -FILE_ENDING.length)
    .replaceAll(/%([0-9a-f]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
const unusable = (at: string, error: unknown): Failure =>
  new Failure('file_unreadable', `${at} cannot be used (${(error as NodeJS.ErrnoException).code}).`, { cause: error });
