import { parse, stringify, YAMLParseError } from 'yaml';
import { SetSuiteBody, type SuiteCase } from '../contract/dashboard/suites.ts';
import { Failure } from './failure.ts';
import { readText } from './input.ts';

/** What a text in YAML or JSON says; `what` names it in the message. */
export function parseYaml(text: string, what: string): Record<string, unknown> {
  try {
    // No tags and no aliases: a file of a kilobyte must not become a gigabyte.
    return Object(parse(text, { maxAliasCount: 0, schema: 'core' })) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError)) throw error;
    throw new Failure('usage_invalid', `${what} is not YAML: ${error.message}`, { cause: error });
  }
}

/** Cases of a file in YAML or JSON, in the form of contract/dashboard/suites.ts. The server checks them. */
export async function readSuiteFile(file: string): Promise<SetSuiteBody> {
  const suite = parseYaml(await readText(file), file);
  if (!Array.isArray(suite['cases']))
    throw new Failure('usage_invalid', `${file} has no list "cases". docs/agent-tests.md shows the form.`);
  return suite as SetSuiteBody;
}

/** The same order of the members every time, so that two versions of the file can be compared. */
export const writeSuite = ({ cases, required }: { cases: SuiteCase[]; required: boolean }): string =>
  stringify({ ...(required && { required }), cases: cases.map(inOrder) }, { lineWidth: 120 });

const inOrder = ({ name, locale, variables, now, tools, from, turns }: SuiteCase) => ({
  name,
  ...(locale !== undefined && { locale }),
  ...(variables !== undefined && { variables }),
  ...(now !== undefined && { now }),
  ...(tools !== undefined && { tools }),
  // Without it, an erase of that person would no longer find the case.
  ...(from !== undefined && { from }),
  turns: turns.map(({ say, expect }) => ({ ...(say !== undefined && { say }), ...(expect && { expect }) })),
});

/** For editors that check a file while it is written. */
export const suiteSchema = (): string =>
  JSON.stringify(
    { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Tests of an agent', ...SetSuiteBody },
    null,
    2,
  );
