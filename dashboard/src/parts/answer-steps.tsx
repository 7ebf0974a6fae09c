import type { ReactNode } from 'react';
import type { TraceStep } from '../../../contract/dashboard/agents.ts';
import { defineWords, useWords } from '../language/words.tsx';
import classes from './answer-steps.module.css';

const words = defineWords(
  {
    why: 'Why this answer?',
    by: 'Answered by {provider}',
    sent: 'What was sent',
    output: 'What came back',
    error: 'What went wrong',
    reason: 'Reason of the team',
  },
  {
    why: 'لماذا هذا الرد؟',
    by: 'أجاب {provider}',
    sent: 'ما أُرسل',
    output: 'ما عاد',
    error: 'ما فشل',
    reason: 'سبب الفريق',
  },
);

type Props = { provider: string; steps: readonly TraceStep[]; className?: string };

/** The steps by which an agent came to an answer. */
export function AnswerSteps({ provider, steps, className = '' }: Props): ReactNode {
  const say = useWords(words);
  return (
    <details className={`${classes.why} ${className}`}>
      <summary>{say('why')}</summary>
      <Steps provider={provider} steps={steps} />
    </details>
  );
}

/** The same where something else shows and hides it. */
export function ShownSteps({ provider, steps, className = '' }: Props): ReactNode {
  const say = useWords(words);
  return (
    <div role="group" aria-label={say('why')} className={`${classes.why} ${className}`}>
      <Steps provider={provider} steps={steps} />
    </div>
  );
}

function Steps({ provider, steps }: Props): ReactNode {
  const say = useWords(words);
  return (
    <>
      <p>{say.rich('by', { provider: <code>{provider}</code> })}</p>
      <ol>
        {steps.map((step, index) => (
          <li key={index}>
            <code>{step.kind}</code> <span dir="auto">{step.detail}</span>
            {(['reason', 'sent', 'output', 'error'] as const).map(
              (name) => step[name] && <Said key={name} label={say(name)} text={step[name]} />,
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Text from others, shown as text. */
const Said = ({ label, text }: { label: string; text: string }): ReactNode => (
  <div>
    {label}
    <pre dir="auto" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  </div>
);
