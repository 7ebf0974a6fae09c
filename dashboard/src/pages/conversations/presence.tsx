import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PresentMember } from '../../../../contract/dashboard/conversations.ts';
import { list } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Avatar } from '../../parts/avatar.tsx';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { presenceTexts } from './presence-texts.ts';
import { texts } from './texts.ts';
import classes from './presence.module.css';

type Props = { others: readonly PresentMember[] };

/** At most this many avatars fit next to the state on a phone, and the text lists all members. */
const FACES = 3;

/** Shows the avatars of the other members who have the conversation open. */
export function AlsoHere({ others }: Props): ReactNode {
  const say = useTexts(presenceTexts);
  const names = usePresentNames(others);
  if (others.length === 0) return null;
  const presence = say('also_here', { names: list(say.language, names) });
  return (
    <Tooltip label={presence} multiline maw={320}>
      <span className={classes.faces} role="img" aria-label={presence}>
        {names.slice(0, FACES).map((name, index) => (
          <Avatar key={others[index]!.user_id} name={name} id={others[index]!.user_id} className={classes.face} />
        ))}
        {names.length > FACES && <span aria-hidden="true">+{names.length - FACES}</span>}
      </span>
    </Tooltip>
  );
}

/** The region is always in the page, so that a screen reader observes it before a member writes. */
export function Typing({ others }: Props): ReactNode {
  const say = useTexts(presenceTexts);
  const names = usePresentNames(others.filter(({ typing }) => typing));
  return (
    <p role="status" className={classes.typing}>
      {names.length > 0 && say('typing', { count: names.length, names: list(say.language, names) })}
    </p>
  );
}

export function usePresentNames(others: readonly PresentMember[]): string[] {
  const say = useTexts(texts);
  const people = useMemberNames();
  return others.map(({ user_id }) => people(user_id) ?? say('member'));
}
