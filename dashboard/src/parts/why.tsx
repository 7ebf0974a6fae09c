import type { ReactNode } from 'react';
import { defineWords, useWords } from '../language/words.tsx';
import classes from './why.module.css';

const words = defineWords(
  { why: 'Why this answer?', by: 'Answered by {provider}' },
  { why: 'لماذا هذا الرد؟', by: 'أجاب {provider}' },
);

type Props = { provider: string; steps: readonly { kind: string; detail: string }[]; className?: string };

/** How an agent came to an answer, step by step. */
export function Why({ provider, steps, className = '' }: Props): ReactNode {
  const say = useWords(words);
  return (
    <details className={`${classes.why} ${className}`}>
      <summary>{say('why')}</summary>
      <p>{say.rich('by', { provider: <code>{provider}</code> })}</p>
      <ol>
        {steps.map(({ kind, detail }, index) => (
          <li key={index}>
            <code>{kind}</code> <span dir="auto">{detail}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
