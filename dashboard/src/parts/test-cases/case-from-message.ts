import type { ConversationMessage, ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { MAX_CASE_TURNS, type TestCase } from '../../../../contract/dashboard/test-cases.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';

/** An expectation has at most this length. */
const MAX_WORDS = 500;
const MAX_TOOLS = 20;

/**
 * Creates a test from the turn of a message, with the person's messages so far, the results of tools, and the
 * expectation that the agent does not repeat this answer. The test contains the person's messages, but no name, address
 * or value of the person.
 */
export function caseFrom(
  { messages, locale, end_user: person }: Pick<ConversationRecord, 'messages' | 'locale' | 'end_user'>,
  message: ConversationMessage,
): TestCase {
  let turns: TestCase['turns'] = [];
  const tools: CaseTool[] = [];
  let texts: string[] = [];
  for (const one of messages) {
    if (one.role === 'end_user') texts.push(textOf(one));
    // The first message of a turn contains its trace.
    if (one.role === 'agent' && one.why !== null) {
      const say = texts.join('\n').trim();
      // Only the first turn of a test can start with the agent. A turn that starts with the agent begins the test
      // again, because earlier turns belong to another conversation.
      turns = say === '' ? [{}] : [...turns, { say }];
      texts = [];
      tools.push(...toolsOf(one));
    }
    if (one.id === message.id) break;
  }
  const wrong = cut(textOf(message), MAX_WORDS).trim();
  const last = { ...turns.at(-1), ...(wrong !== '' && { expect: { says_not: [wrong] } }) };
  const name = cut((last.say ?? wrong).replaceAll(/\s+/g, ' '), MAX_NAME_CHARACTERS).trim();
  return {
    name: name === '' ? message.id : name,
    ...(locale !== null && { locale }),
    ...(tools.length > 0 && { tools: tools.slice(-MAX_TOOLS) }),
    from: person.id,
    turns: [...turns.slice(0, -1), last].slice(-MAX_CASE_TURNS),
  };
}

/** Cuts a text without half of a surrogate pair at its end, which the server refuses. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

const textOf = ({ content }: ConversationMessage): string => ('text' in content && content.text) || '';

type CaseTool = NonNullable<TestCase['tools']>[number];

const toolsOf = ({ why }: ConversationMessage): CaseTool[] =>
  why!.steps.flatMap(({ kind, detail: tool, output, error }): CaseTool[] => {
    if (kind === 'tool') return [{ tool, answer: output ?? '' }];
    return kind === 'tool_failed' && error ? [{ tool, error: cut(error, MAX_WORDS) }] : [];
  });

/** Results are identified by name, so the names of tests must be unique. */
export function withFreeName(one: TestCase, cases: readonly TestCase[]): TestCase {
  const usedNames = new Set(cases.map(({ name }) => name));
  for (let number = 2, { name } = one; ; number++) {
    if (!usedNames.has(name)) return { ...one, name };
    name = `${cut(one.name, MAX_NAME_CHARACTERS - 6)} (${number})`;
  }
}
