import type { ReactNode } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

type Props = { messages: ConversationRecord['runs'][number]['earlier']; person: ConversationRecord['end_user'] };

/**
 * The history that a client of OpenAI's API sent with its call. The history of a client is collapsed, because the agent
 * did not write its messages.
 */
export function EarlierMessages({ messages, person }: Props): ReactNode {
  const say = useTexts(texts);
  const nameOf = usePersonName();
  if (messages.length === 0) return null;
  return (
    <details className={classes.earlier}>
      <summary>{say('earlier_sent', { many: number(say.language, messages.length) })}</summary>
      <ol>
        {messages.map(({ role, text }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list never changes
          <li key={index}>
            <bdi>{role === 'agent' ? say('agent') : nameOf(person)}</bdi>
            <p dir="auto">{text}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}
