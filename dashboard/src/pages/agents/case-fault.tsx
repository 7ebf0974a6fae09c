import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CaseResult } from '../../../../contract/dashboard/test-cases.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { faultTexts } from './fault-texts.ts';
import classes from './agents.module.css';

type Fault = CaseResult['turns'][number]['faults'][number];
const SENTENCES = ['says', 'says_any', 'says_not', 'cites'] as const;

/** A failed expectation as a sentence. */
export function CaseFault({ turn, fault }: { turn: number; fault: Fault }): ReactNode {
  const say = useTexts(faultTexts);
  const inWords = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return say('nothing');
    if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
    if (Array.isArray(value)) return value.length === 0 ? say('nothing') : list(say.language, value.map(inWords));
    if (typeof value === 'object')
      return list(
        say.language,
        Object.entries(value).map(([name, one]) => `${name}: ${inWords(one)}`),
      );
    return typeof value === 'string' ? say('quoted', { text: value }) : JSON.stringify(value);
  };
  const sentence = SENTENCES.find((one) => one === fault.expectation);
  return (
    <Text size="sm" mt={4} className={classes.caseFault}>
      {say.rich(sentence ?? 'other', {
        turn: String(turn),
        expectation: <code>{fault.expectation}</code>,
        expected: <bdi>{inWords(fault.expected)}</bdi>,
        found: <bdi>{inWords(fault.found)}</bdi>,
      })}
    </Text>
  );
}
