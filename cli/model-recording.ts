import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CaseResult, TestAgentBody } from '../contract/dashboard/test-cases.ts';
import { Failure } from './failure.ts';
import { parseJsonObject, readText } from './read-input.ts';
import { writeText } from './write-file.ts';

/** A recording is a file with the answers of a model, for tests without a model. */
export type ModelRecording = {
  bodyOf(name: string): Pick<TestAgentBody, 'record' | 'recorded'>;
  /** Divides a result into the part for the file and the part that is not stored. */
  keep(result: CaseResult): CaseResult;
  save(): Promise<void>;
};

/**
 * The file stores cases by name, and the answers of each case by a hash of the request. The file stores answers as
 * JSON, so that a diff is readable.
 */
type RecordingFile = { cases: Record<string, Record<string, unknown>> };

export async function openRecording(
  paths: { record?: string; replay?: string },
  names: readonly string[],
): Promise<ModelRecording> {
  if (paths.record !== undefined && paths.replay !== undefined)
    throw new Failure('usage_invalid', 'Use one of --record and --replay.');
  const [record, replay] = await Promise.all([fileAt(paths.record), fileAt(paths.replay)]);
  if (replay !== undefined) {
    const { cases } = parseJsonObject(await readText(replay), replay) as Partial<RecordingFile>;
    if (typeof cases !== 'object' || cases === null)
      throw new Failure('usage_invalid', `${replay} has no "cases": agents test --record ${replay} writes them.`);
    return {
      bodyOf: (name) => ({
        recorded: Object.fromEntries(
          Object.entries(Object.hasOwn(cases, name) ? cases[name]! : {}).map(([asked, answer]) => [
            asked,
            asText(answer),
          ]),
        ),
      }),
      keep: (result) => result,
      save: async () => {},
    };
  }
  const file: RecordingFile = { cases: record === undefined ? {} : await recordedBefore(record, names) };
  return {
    bodyOf: () => (record === undefined ? {} : { record: true }),
    keep: ({ recorded, ...result }) => {
      if (recorded)
        file.cases[result.name] = Object.fromEntries(
          Object.entries(recorded).map(([asked, answer]) => [asked, asJson(answer)]),
        );
      return result;
    },
    save: async () => {
      if (record !== undefined) await writeText(record, `${JSON.stringify(file, null, 2)}\n`);
    },
  };
}

/**
 * The answers of earlier cases stay in the file, so a partial or failed run does not remove them. Opens the file for
 * writing before the first call of a model, so that an invalid path fails early.
 */
async function recordedBefore(path: string, names: readonly string[]): Promise<RecordingFile['cases']> {
  const file = await open(path, 'a').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('file_unreadable', `${path} cannot be written (${error.code}).`, { cause: error });
  });
  await file.close();
  const text = await readFile(path, 'utf8');
  const { cases } = (text === '' ? { cases: {} } : parseJsonObject(text, path)) as Partial<RecordingFile>;
  return Object.fromEntries(Object.entries(cases ?? {}).filter(([name]) => names.includes(name)));
}

/** If the path is a folder, the recording is a file in the folder. */
async function fileAt(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const isFolder = (await stat(given).catch(() => null))?.isDirectory() ?? false;
  return isFolder ? path.join(given, 'recorded.json') : given;
}

const asText = (answer: unknown): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));

function asJson(answer: string): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return answer;
  }
}
