import { isMap, isSeq, LineCounter, parse, parseDocument, stringify, YAMLParseError } from 'yaml';
import { SetSuiteBody, type TestCase } from '../contract/dashboard/test-cases.ts';
import { Failure, Refused } from './failure.ts';
import { readText } from './read-input.ts';

/** Parses a text in YAML or JSON. The text `what` names the source in the error message. */
export function parseYaml(text: string, what: string): Record<string, unknown> {
  try {
    // The parser refuses tags and aliases, so that a file of a kilobyte cannot expand to a gigabyte.
    return Object(parse(text, { maxAliasCount: 0, schema: 'core' })) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError)) throw error;
    throw new Failure('usage_invalid', `${what} is not YAML: ${error.message}`, { cause: error });
  }
}

/**
 * Reads the cases of a YAML or JSON file, in the form of contract/dashboard/test-cases.ts. The server validates the
 * test cases.
 */
export const readSuiteFile = async (file: string): Promise<SetSuiteBody> => parseSuite(await readText(file), file);

export function parseSuite(text: string, file: string): SetSuiteBody {
  const suite = parseYaml(text, file);
  if (!Array.isArray(suite['cases']))
    throw new Failure('usage_invalid', `${file} has no list "cases". docs/agent-tests.md shows the form.`);
  return suite as SetSuiteBody;
}

/** Finds the line of each case in the text of a file with test cases. */
export function linesOfCases(text: string): number[] {
  const lines = new LineCounter();
  const cases: unknown = parseDocument(text, { lineCounter: lines, schema: 'core' }).get('cases');
  const items: unknown[] = isSeq(cases) ? cases.items : [];
  return items.map((one) => (isMap(one) && one.range ? lines.linePos(one.range[0]).line : 1));
}

/** Replaces the index of a case by its name in the pointers of an error. */
export async function namingCases<T>(cases: readonly unknown[], work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const message = error.message.replaceAll(/^\/cases\/(\d+)\S*: /gm, (whole, at: string) => {
      const { name } = Object(cases[Number(at)]) as { name?: unknown };
      return typeof name === 'string' ? `Case "${name}", ${whole}` : whole;
    });
    throw new Refused(error.code, error.status, message);
  }
}

/** The members of a case always have the same order, so that two versions of the file can be compared. */
export const writeSuite = ({ cases, required }: { cases: TestCase[]; required: boolean }): string =>
  stringify({ ...(required && { required }), cases: cases.map(inOrder) }, { lineWidth: 120 });

const inOrder = ({ name, locale, variables, now, tools, from, turns }: TestCase) => ({
  name,
  ...(locale !== undefined && { locale }),
  ...(variables !== undefined && { variables }),
  ...(now !== undefined && { now }),
  ...(tools !== undefined && { tools }),
  // Without the field `from`, erasing the person of a case would not find the case.
  ...(from !== undefined && { from }),
  turns: turns.map(({ say, expect }) => ({ ...(say !== undefined && { say }), ...(expect && { expect }) })),
});

/** The JSON schema with which editors validate a file with test cases. */
export const suiteSchema = (): string =>
  JSON.stringify(
    { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Tests of an agent', ...SetSuiteBody },
    null,
    2,
  );
