import type { ReactNode } from 'react';
import type { Change, Numbers } from '../../../../contract/dashboard/statistics.ts';
import { useRead } from '../../api/queries.ts';
import { lasting, money, number } from '../../language/format.ts';
import { type Say, useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { type FigurePart, FigureTile, FigureTiles } from '../../parts/figure-tile.tsx';
import { texts } from './statistics-texts.ts';

type Home = Say<keyof (typeof texts)['en']>;

/** Shows each number, with a link to its list. */
export function Tiles({ numbers }: { numbers: Numbers }): ReactNode {
  const say = useTexts(texts);
  const { from, to, ended, ended_alone: alone, ended_no_reply: silent, first_reply_seconds: wait } = numbers;
  const within = { since: from, until: to };
  const handed = { to: '/conversations', search: { handed_off: true, ...within } } as const;
  const calls = { to: '/activity', search: { tab: 'requests', since: from, until: to } } as const;
  const waited = (seconds: number | null): string =>
    seconds === null ? '–' : seconds < 60 ? say('under_a_minute') : lasting(say.language, seconds * 1_000);
  return (
    <FigureTiles>
      <FigureTile
        name={say('conversations')}
        to={{ to: '/conversations', search: within }}
        note={changed(say, numbers.conversations)}
      >
        {number(say.language, numbers.conversations.now)}
      </FigureTile>
      <FigureTile
        name={say('alone')}
        to={{ to: '/conversations', search: { status: 'resolved', ...within } }}
        note={say('alone_of', {
          count: number(say.language, ended.now),
          before: share(say, alone.before, ended.before),
        })}
        parts={silent.now > 0 ? [[say('no_reply'), silent.now]] : []}
      >
        {share(say, alone.now, ended.now)}
      </FigureTile>
      <FigureTile
        name={say('hand_offs')}
        to={handed}
        note={changed(say, numbers.handed_off)}
        parts={numbers.hand_off_reasons.map(({ name, count }) => [reasonOf(say, name), count])}
      >
        {number(say.language, numbers.handed_off.now)}
      </FigureTile>
      <FigureTile name={say('first_reply')} to={handed} note={say('was', { before: waited(wait.before) })}>
        {waited(wait.now)}
      </FigureTile>
      <Ratings numbers={numbers} />
      <FigureTile
        name={say('messages')}
        to={{ to: '/conversations', search: within }}
        note={changed(say, numbers.messages)}
        parts={numbers.message_states.map(({ name, count }) => [stateOf(say, name), count])}
      >
        {number(say.language, numbers.messages.now)}
      </FigureTile>
      <FigureTile name={say('calls')} to={calls} note={changed(say, numbers.calls)}>
        {number(say.language, numbers.calls.now)}
      </FigureTile>
      <FigureTile
        name={say('refused')}
        to={{ ...calls, search: { ...calls.search, outcome: 'refused' } }}
        note={changed(say, numbers.refused)}
        parts={numbers.refusals.slice(0, MAX_PARTS).map(({ name, count }) => [<code key={name}>{name}</code>, count])}
      >
        {number(say.language, numbers.refused.now)}
      </FigureTile>
      <Spend from={from} to={to} />
    </FigureTiles>
  );
}

const MAX_PARTS = 4;

/**
 * Shows the average of the surveys. Before the first rating, the tile is hidden, because agents do not ask for ratings
 * by default.
 */
function Ratings({ numbers }: { numbers: Numbers }): ReactNode {
  const say = useTexts(texts);
  const { from, to, ratings, rating_average: average, answers_good: good, answers_bad: bad } = numbers;
  if ([ratings, good, bad].every(({ now, before }) => now === 0 && before === 0)) return null;
  const rounded = (value: number | null): string =>
    value === null ? '–' : number(say.language, Math.round(value * 10) / 10);
  const parts: FigurePart[] = [
    [say('answers_good'), good.now],
    [say('answers_bad'), bad.now],
  ];
  return (
    <FigureTile
      name={say('rating')}
      to={{ to: '/conversations', search: { rated: 'any', since: from, until: to } }}
      note={say('rating_of', { count: number(say.language, ratings.now), before: rounded(average.before) })}
      parts={parts.filter(([, count]) => count > 0)}
    >
      {rounded(average.now)}
    </FigureTile>
  );
}

function Spend({ from, to }: Pick<Numbers, 'from' | 'to'>): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const query = { since: from.slice(0, 10), until: to.slice(0, 10) };
  const { data } = useRead('readUsage', { params: { org_id }, query });
  const cost = data?.total.cost ?? [];
  return (
    <FigureTile name={say('spend')} to={{ to: '/settings/costs', search: query }} note={say('spend_days')}>
      {data &&
        (cost.length === 0
          ? '–'
          : cost.map((one) => money(say.language, Number(one.amount), one.currency)).join(' + '))}
    </FigureTile>
  );
}

function changed(say: Home, { now, before }: Change): string {
  if (before === 0) return now === 0 ? say('same') : say('none_before');
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return say('same');
  return say(percent > 0 ? 'more' : 'less', { percent: number(say.language, Math.abs(percent)) });
}

const share = (say: Home, part: number, all: number): string =>
  all === 0 ? '–' : `${number(say.language, Math.round((100 * part) / all))}%`;

/** A later version may send other reasons. */
const reasonOf = (say: Home, name: string): string =>
  name === 'asked' ||
  name === 'rule' ||
  name === 'not_understood' ||
  name === 'model' ||
  name === 'stand_in' ||
  name === 'no_reply' ||
  name === 'member'
    ? say(`reason_${name}`)
    : name;

const STATES = ['queued', 'sent', 'delivered', 'read', 'failed', 'undelivered', 'suppressed'] as const;
const stateOf = (say: Home, name: string): string => {
  const known = STATES.find((one) => one === name);
  return known ? say(`state_${known}`) : name;
};
