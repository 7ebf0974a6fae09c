import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CaseResult, TestAgentBody } from '../contract/dashboard/test-cases.ts';
import { Failure } from './failure.ts';
import { parseJsonObject, readText } from './input.ts';
import { writeText } from './write-text.ts';

/** A file with the answers of a model, for tests that need no model. */
export type ModelTape = {
  bodyOf(name: string): Pick<TestAgentBody, 'record' | 'recorded'>;
  /** What a result holds for the file; the rest of it. */
  keep(result: CaseResult): CaseResult;
  save(): Promise<void>;
};

/** Cases by name, in each the answers by a hash of what was asked. Answers are JSON, so that a change can be read. */
type TapeFile = { cases: Record<string, Record<string, unknown>> };

export async function openTape(
  paths: { record?: string; replay?: string },
  names: readonly string[],
): Promise<ModelTape> {
  if (paths.record !== undefined && paths.replay !== undefined)
    throw new Failure('usage_invalid', 'Use one of --record and --replay.');
  const [record, replay] = await Promise.all([fileAt(paths.record), fileAt(paths.replay)]);
  if (replay !== undefined) {
    const { cases } = parseJsonObject(await readText(replay), replay) as Partial<TapeFile>;
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
  const file: TapeFile = { cases: record === undefined ? {} : await recordedBefore(record, names) };
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
 * The answers of cases that are recorded already: a run of a few cases, or one that fails, keeps the others. Opens the
 * file for writing, so that a path that cannot be written fails before a model is called.
 */
async function recordedBefore(path: string, names: readonly string[]): Promise<TapeFile['cases']> {
  const file = await open(path, 'a').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('file_unreadable', `${path} cannot be written (${error.code}).`, { cause: error });
  });
  await file.close();
  const text = await readFile(path, 'utf8');
  const { cases } = (text === '' ? { cases: {} } : parseJsonObject(text, path)) as Partial<TapeFile>;
  return Object.fromEntries(Object.entries(cases ?? {}).filter(([name]) => names.includes(name)));
}

/** A folder stands for a file in it. */
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
