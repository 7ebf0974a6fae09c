import type { ReactNode } from 'react';
import type { Analytics, AnalyticsFigures } from '../../../../contract/dashboard/analytics.ts';
import { duration, money, number, percent } from '../../language/format.ts';
import { type Say, useTexts } from '../../language/texts.tsx';
import { FigureTile, FigureTiles } from '../../parts/figure-tile.tsx';
import { conversationLinks } from './conversation-links.ts';
import type { AnalyticsFilters } from './search.ts';
import { texts } from './texts.ts';

const NONE = '–';

type SayWords = Say<keyof (typeof texts)['en']>;

/** Shows the figures of the whole period, compared with the period before. */
export function Figures({ found, filters }: { found: Analytics; filters: AnalyticsFilters }): ReactNode {
  const say = useTexts(texts);
  const { total, before, from, to } = found;
  const list = conversationLinks({ ...filters, since: from, until: to });
  const many = (value: number): string => number(say.language, value);
  /** Without an earlier value, the text contains only the present value. */
  const compared = (now: string, earlier: string): string =>
    earlier === NONE ? now : say('compared', { now, before: earlier });
  const part = (name: 'answered' | 'handed_over' | 'unanswered'): string =>
    compared(share(say, total, name), share(say, before, name));
  return (
    <FigureTiles>
      <FigureTile
        name={say('conversations')}
        to={list()}
        note={changed(say, total.conversations, before.conversations)}
      >
        {many(total.conversations)}
      </FigureTile>
      <FigureTile name={say('answered')} to={list({ outcome: 'answered' })} note={part('answered')}>
        {many(total.answered)}
      </FigureTile>
      <FigureTile name={say('handed_over')} to={list({ outcome: 'handed_over' })} note={part('handed_over')}>
        {many(total.handed_over)}
      </FigureTile>
      <FigureTile name={say('unanswered')} to={list({ outcome: 'unanswered' })} note={part('unanswered')}>
        {many(total.unanswered)}
      </FigureTile>
      <FigureTile
        name={say('first_reply')}
        to={list({ outcome: 'replied' })}
        note={compared(say('median'), tookOf(say, before.first_reply_seconds))}
      >
        {tookOf(say, total.first_reply_seconds)}
      </FigureTile>
      <FigureTile
        name={say('team_reply')}
        to={list({ outcome: 'team_replied' })}
        note={compared(say('median'), tookOf(say, before.team_reply_seconds))}
      >
        {tookOf(say, total.team_reply_seconds)}
      </FigureTile>
      <FigureTile
        name={say('resolve')}
        to={list({ status: 'resolved' })}
        note={compared(say('median_resolved', { count: many(total.resolved) }), tookOf(say, before.resolve_seconds))}
      >
        {tookOf(say, total.resolve_seconds)}
      </FigureTile>
      <FigureTile
        name={say('rating')}
        to={list({ outcome: 'rated' })}
        note={compared(say('of_ratings', { count: total.ratings }), ratingOf(say, before.rating))}
      >
        {ratingOf(say, total.rating)}
      </FigureTile>
      <FigureTile
        name={say('cost')}
        to={list({ outcome: 'with_cost' })}
        note={before.cost.length === 0 ? say('none_before') : say('was', { before: costOf(say, before.cost) })}
      >
        {costOf(say, total.cost)}
      </FigureTile>
    </FigureTiles>
  );
}

export const tookOf = (say: SayWords, seconds: number | null): string =>
  seconds === null ? NONE : duration(say.language, seconds * 1_000);

/** Shows the average of scores from 1 to 5. */
export const ratingOf = (say: SayWords, rating: number | null): string =>
  rating === null ? NONE : number(say.language, Math.round(rating * 10) / 10);

export const costOf = (say: SayWords, cost: AnalyticsFigures['cost']): string =>
  cost.length === 0
    ? NONE
    : cost.map(({ amount, currency }) => money(say.language, Number(amount), currency)).join(' + ');

const share = (say: SayWords, figures: AnalyticsFigures, name: 'answered' | 'handed_over' | 'unanswered'): string =>
  figures.conversations === 0 ? NONE : percent(say.language, figures[name] / figures.conversations);

function changed(say: SayWords, now: number, before: number): string {
  if (before === 0) return now === 0 ? say('same') : say('none_before');
  const points = Math.round((100 * (now - before)) / before);
  if (points === 0) return say('same');
  return say(points > 0 ? 'more' : 'less', { percent: number(say.language, Math.abs(points)) });
}
