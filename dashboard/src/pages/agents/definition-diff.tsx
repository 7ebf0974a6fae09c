import { Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import { languageName } from '../../language/format.ts';
import { useTexts, type Say } from '../../language/texts.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { changesOf, ORDER } from './definition-changes.ts';
import { texts, type AgentWord } from './texts.ts';
import classes from './agents.module.css';

/** The differences between two definitions, field by field and word by word. */
export function DefinitionDiff({ before, after }: { before: AgentDefinition; after: AgentDefinition }): ReactNode {
  const say = useTexts(texts);
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say('diff_none')}
      </Text>
    );
  return (
    <dl className={classes.changes}>
      {changes.map(({ path, before: old, after: now }) => (
        <div key={path.join('\n')}>
          <Text component="dt" size="sm" fw={550}>
            {path.map((part, index) => (
              <bdi key={index}>{wordOf(part, index, say)}</bdi>
            ))}
          </Text>
          <dd>
            <TextDiff before={old} after={now} code={/^[[{]/.test(now ?? old ?? '')} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * The names of the fields in the editor. Names that users chose, and names that the editor does not have, stay
 * unchanged.
 */
const FIELDS: Readonly<Record<string, AgentWord>> = {
  ask: 'step_question',
  ask_again: 'step_again',
  type: 'step_type',
  optional: 'step_optional',
  choices: 'step_choices',
  words: 'rule_words',
  pattern: 'rule_pattern',
  reply: 'rule_reply',
  tag: 'rule_tag',
  action: 'rule_action',
  url: 'tool_url',
  description: 'tool_description',
  parameters: 'tool_parameters',
  start: 'steps_start',
  summary: 'steps_summary',
  on_request: 'on_request',
  after_misses: 'after_misses',
  remind: 'field_remind',
  after_minutes: 'field_after_minutes',
  end_after_minutes: 'field_end_after_minutes',
  // oxlint-disable-next-line unicorn/no-thenable -- the name on the wire, of a text
  then: 'field_then',
  default: 'language_default',
  [ORDER]: 'diff_order',
};

function wordOf(part: string, index: number, say: Say<AgentWord>): string {
  if (index === 0) return say(`field_${part}` as AgentWord);
  const word = Object.hasOwn(FIELDS, part) ? FIELDS[part] : undefined;
  if (word) return say(word);
  return /^[a-z]{2}$/.test(part) ? languageName(say.language, part) : part;
}
